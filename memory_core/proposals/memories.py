"""What an item does to memories, through the banks' own choke point, in the caller's transaction.

Every change is compare-and-swap on the versions that the item was offered on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlmodel import Session

from memory_core.banks.bank import BankId, parse_bank_id
from memory_core.banks.memory import Draft, EntityRef, Memory, Tag
from memory_core.banks.row import from_row
from memory_core.banks.writer import By, Writer
from memory_core.errors import BadInput, Conflict
from memory_core.proposals.desk import AlreadyThere
from memory_core.store import ledger
from memory_core.store.tables import MemoryRow
from memory_core.text import one_line


def parsed(target: str) -> tuple[BankId, str]:
    """Bank and key of a memory's id.

    Raises `BadInput`.
    """
    bank, separator, key = target.rpartition(":")
    if not separator or not key:
        raise BadInput(f"{target!r} is no memory's id", remedy="write it as <bank id>:<key>")
    return parse_bank_id(bank), key


def found(session: Session, target: str) -> Memory | None:
    """The memory of an id, as it is now."""
    bank, key = parsed(target)
    row = session.get(MemoryRow, (str(bank), key), populate_existing=True)
    return from_row(row) if row else None


def version(session: Session, target: str) -> str:
    """What a memory's `base` is: its version, "" where it is not there."""
    memory = found(session, target)
    return str(memory.version) if memory else ""


def merges(detail: Any, target: str) -> list[str]:
    """The ids that a merge forgets; the target itself stays."""
    return [name for name in map(str, detail.get("merges", ())) if name != target]


def rests(detail: Any) -> list[str]:
    """The ids of memories on which an item's reason rests: they have to be as they were."""
    return list(map(str, detail.get("rests", ())))


def carry_out(session: Session, writer: Writer, item: Any, by: By) -> int:
    """Write an item's changes and return the ledger entry by which they are undone.

    It is the target's; of a merge that leaves the target as it is, the first forgotten one's.

    Raises `AlreadyThere`, `Conflict`, `NotFound`, `BankFull` or `BadInput`; the caller
    holds a savepoint, so that nothing of the item stays then.
    """
    bank, key = parsed(item.target)
    there = found(session, item.target)
    if item.action == "add" and says(there, item):
        raise AlreadyThere(f"{item.target} says it already")
    base = int(item.base or 0)
    for name in rests(item.detail):
        _check_rest(session, name, item.detail["versions"][name], by)
    if item.action == "drop":
        return writer.forget(bank, key, by, if_version=base).number
    if item.action == "move":
        _compare(there, item.target, base)
        return writer.move(bank, key, parse_bank_id(str(item.detail["to"])), by).number
    forgotten = []
    for name in merges(item.detail, item.target) if item.action == "merge" else ():
        other, other_key = parsed(name)
        kept = int(item.detail.get("versions", {}).get(name) or 0)
        forgotten.append(writer.forget(other, other_key, by, if_version=kept).number)
    written = writer.remember(bank, draft(key, item, there), by, if_version=base)
    if written.action != "unchanged":
        return written.number
    if not forgotten:
        raise AlreadyThere(f"{item.target} says it already")
    return forgotten[0]


def draft(key: str, item: Any, there: Memory | None) -> Draft:
    """The memory that an item writes; what its detail leaves out stays as it is."""
    detail = item.detail
    described = detail.get("description") or (there.description if there else item.title)
    return Draft(
        key=key,
        description=one_line(str(described)),
        content=item.after,
        refs=None if detail.get("refs") is None else tuple(_refs(detail["refs"])),
        tags=None if detail.get("tags") is None else tuple(_tags(detail["tags"])),
    )


def says(there: Memory | None, item: Any) -> bool:
    """Whether the memory holds what an item would write."""
    return there is not None and one_line(there.content) == one_line(item.after)


def _check_rest(session: Session, name: str, version: str, by: By) -> None:
    """Raise `Conflict` where it was changed; what the same proposal made of it will do."""
    there = found(session, name)
    if there is None or (
        str(there.version) != version
        and ledger.entry(session, there.version).proposal != by.proposal
    ):
        raise Conflict(
            f"{name}, on which it rests, was {'written' if there else 'forgotten'} meanwhile",
            remedy="the next run looks at it anew",
            current=there.content if there else "",
        )


def _compare(there: Memory | None, target: str, base: int) -> None:
    held = there.version if there else 0
    if held != base:
        raise Conflict(
            f"{target} is at version {held}, not {base}",
            remedy="the next run looks at it anew",
            current=there.content if there else "",
        )


def _refs(values: Iterable[Any]) -> Iterable[EntityRef]:
    return (EntityRef(*_pair(value, "type")) for value in values)


def _tags(values: Iterable[Any]) -> Iterable[Tag]:
    return (Tag(*_pair(value, "kind")) for value in values)


def _pair(value: Any, first: str) -> tuple[str, str]:
    """A locator written `[type, id]`, `{"type": ..., "id": ...}` or `type:id`."""
    if isinstance(value, dict):
        return str(value[first]), str(value["id"])
    if isinstance(value, str):
        kind, _, name = value.partition(":")
        return kind, name
    kind, name = value
    return str(kind), str(name)
