"""Does an item still stand: is its target what it was, and would it fit?

What changed is named at once, while the proposal waits, not when it is approved. A change
of our own moves the base of other items along; anybody else's does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sqlmodel import Session, col, select

from memory_core.banks import latch
from memory_core.banks.bank import BankId, parse_bank_id
from memory_core.banks.rules import configured_rules
from memory_core.errors import BadInput, Conflict, VaultError
from memory_core.proposals import files, memories
from memory_core.proposals.desk import AlreadyThere, Desk, OverCap, lay_all
from memory_core.proposals.proposal import DECIDED, OPEN, STALE
from memory_core.proposals.snapshot import Snapshot
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.store.tables import BankRow, ItemRow, ProposalRow


def bases(session: Session, desk: Desk, item: Any) -> tuple[str, dict[str, Any]]:
    """What the item's target is now, and the detail with what its other targets are.

    Where the detail says which versions of memories the routine has `read`, it is those.
    """
    detail = dict(item.detail)
    if item.kind != "memory":
        if item.action == "move":
            detail["to_base"] = _hash(desk, str(detail["to"]))
        return _hash(desk, item.target), detail
    read = detail.get("read", {})
    others = memories.rests(detail)
    others += memories.merges(detail, item.target) if item.action == "merge" else []
    if others:
        detail["versions"] = {
            one: read.get(one) or memories.version(session, one) for one in others
        }
    return read.get(item.target) or memories.version(session, item.target), detail


def _hash(desk: Desk, file: str) -> str:
    try:
        return desk.original(file).sha256
    except (BadInput, VaultError):
        return ""  # `trouble` says why


def trouble(session: Session, desk: Desk, item: Any) -> str:
    """Why an item with its bases cannot be applied as things are; "" where it can."""
    try:
        if item.kind == "memory":
            return _memory_trouble(session, desk.settings, item)
        if not (reason := moved(desk, item)):
            desk.alone().lay(item)
        return reason
    except (Conflict, BadInput, VaultError) as refused:
        return refused.message


def moved(desk: Desk, item: Any) -> str:
    """Which file of a note's item is not what it was, in words; "" where all are.

    A question is a line of its own: what else its set holds is no matter.
    """
    if item.kind == "question":
        return ""
    try:
        reason = _moved(item.target, item.base, desk.original(item.target))
        if not reason and item.action == "move":
            to = str(item.detail["to"])
            reason = _moved(to, item.detail.get("to_base", ""), desk.original(to))
        return reason
    except (BadInput, VaultError) as refused:
        return refused.message


def already(session: Session, desk: Desk, item: Any) -> bool:
    """Whether what an item would add is known to its target."""
    if item.action != "add":
        return False
    try:
        if item.kind == "memory":
            return memories.says(memories.found(session, item.target), item)
        desk.alone().lay(item)
    except AlreadyThere:
        return True
    except (Conflict, BadInput, VaultError):
        return False
    return False


def check_together(root: Path, settings: Settings, rows: list[ItemRow]) -> None:
    """Raise `BadInput` when what is chosen would burst the always-loaded file's cap."""
    notes = [row for row in rows if row.kind != "memory"]
    for row, outcome in lay_all(Desk(root, settings), notes):
        if isinstance(outcome, OverCap):
            raise BadInput(
                f"with item {row.number}, {outcome.message}",
                remedy=f"leave out item {row.number}, or another that makes the file longer",
            )


def refresh(database: Database, root: Path, settings: Settings) -> int:
    """Mark open items that no longer stand as stale, and stale ones that do as open.

    Items of a file to which a decision still owes its new text stay as they are: they
    stand on that text already. With a database that several hosts share this user's alone
    are looked at, since this is not the others' vault. Returns how many changed their state.
    """
    user = settings.user if database.shared else None
    found: dict[int, tuple[str, str]] = {}
    desk, mounted = Desk(root, settings), root.is_dir()
    with database.read() as session:
        owed = files.unwritten(session)
        for row in _waiting(session, OPEN, user=user):
            if row.kind != "memory" and not mounted:
                continue  # of a vault that is not mounted nothing is gone
            if row.kind != "memory" and owed & {row.target, row.detail.get("to")}:
                continue
            reason = trouble(session, desk, row)
            state = STALE if reason else OPEN
            if row.id is not None and (row.state, row.reason) != (state, reason):
                found[row.id] = (row.base, reason)
    if not found:
        return 0
    changed = 0
    with database.write() as session:
        for row in _waiting(session, OPEN, user=user):
            base, reason = found.get(row.id or 0, ("-", ""))
            if row.base == base:
                changed += _mark(session, row, reason)
    return changed


def follow(
    session: Session, desk: Desk, edits: Mapping[str, tuple[Snapshot, Snapshot]], own: int = 0
) -> None:
    """After a change of ours: other proposals' items of these files stand on the new text.

    One that does not fit it is stale; `own` is the proposal that made the change.
    """
    after = Desk(desk.root, desk.settings, desk.moment, {f: new for f, (_, new) in edits.items()})
    for row in _waiting(session, OPEN, DECIDED):
        if row.kind != "memory" and row.proposal != own and _followed(row, edits):
            _mark(session, row, trouble(session, after, row))


def _followed(row: ItemRow, edits: Mapping[str, tuple[Snapshot, Snapshot]]) -> bool:
    old, new = edits.get(row.target, (None, None))
    moves = bool(old and new and row.base == old.sha256)
    if moves and new:
        row.base = new.sha256
    old, new = edits.get(str(row.detail.get("to", "")), (None, None))
    if row.action == "move" and old and new and row.detail.get("to_base", "") == old.sha256:
        row.detail = {**row.detail, "to_base": new.sha256}
        moves = True
    return moves


def _waiting(session: Session, *proposals: str, user: str | None = None) -> Iterable[ItemRow]:
    """Open and stale numbered items of proposals in these states, of one user or all."""
    query = (
        select(ItemRow)
        .join(ProposalRow, col(ProposalRow.id) == col(ItemRow.proposal))
        .where(col(ProposalRow.state).in_(proposals), ItemRow.number > 0)
        .where(col(ItemRow.state).in_((OPEN, STALE)))
    )
    if user is not None:
        query = query.where(ProposalRow.user == user)
    return session.exec(query.order_by(col(ItemRow.id))).all()


def _mark(session: Session, row: ItemRow, reason: str) -> bool:
    state = STALE if reason else OPEN
    changed = row.state != state
    row.state, row.reason = state, reason
    session.add(row)
    session.flush()
    return changed


def _moved(file: str, base: str, there: Snapshot) -> str:
    if there.sha256 == base:
        return ""
    if not base:
        return f"{file} is there meanwhile"
    return f"{file} is gone" if there.data is None else f"{file} was changed meanwhile"


def _memory_trouble(session: Session, settings: Settings, item: Any) -> str:
    versions = {item.target: item.base, **item.detail.get("versions", {})}
    for name, base in versions.items():
        now = memories.version(session, name)
        if now != base:
            return f"{name} was {'written' if now else 'forgotten'} meanwhile"
    there = memories.found(session, item.target)
    if item.action == "add" and there is not None:
        raise AlreadyThere(f"{item.target} is there already")
    if item.action != "add" and there is None and item.action != "merge":
        return f"{item.target} is not there"
    if missing := [name for name, base in versions.items() if not base and name != item.target]:
        return f"{missing[0]} is not there"
    return _full(session, settings, item, there is None)


def _full(session: Session, settings: Settings, item: Any, fresh: bool) -> str:
    bank: BankId | None = None
    if item.action == "add" or (item.action == "merge" and fresh):
        bank = memories.parsed(item.target)[0]
    elif item.action == "move":
        bank = parse_bank_id(str(item.detail["to"]))
    if bank is None:
        return ""
    row = session.get(BankRow, str(bank))
    held = latch.count(session, str(bank))
    gone = len(memories.merges(item.detail, item.target)) if item.action == "merge" else 0
    if (row and row.latched) or held - gone >= configured_rules(settings).caps.hard:
        return f"the {bank.kind} bank is full ({held} memories)"
    return ""
