"""The one choke point for every change to a memory, inside the caller's transaction.

Cleaning, caps, FULL, compare-and-swap on the version, the ledger entry and the outbox
row of a crossed soft limit happen here and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sqlmodel import Session

from memory_core.banks import latch
from memory_core.banks.bank import BankId
from memory_core.banks.caps import Caps, check_length
from memory_core.banks.memory import Draft, Memory, clean_key
from memory_core.banks.row import from_row, restored, snapshot
from memory_core.banks.rules import Rules
from memory_core.errors import BadInput, Conflict, NotFound
from memory_core.store import ledger
from memory_core.store.tables import BankRow, MemoryRow, now

KIND = "memory"


@dataclass(frozen=True, slots=True)
class By:
    """Who changes a memory and why; the ledger keeps both."""

    actor: str
    reason: str = ""
    proposal: str | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """What a change did.

    `action` is add, revise, forget, move or unchanged; `number` is its ledger entry.
    """

    action: str
    number: int
    before: Memory | None
    after: Memory | None


class Writer:
    """Changes memories through an open write session; the caller commits or rolls back."""

    def __init__(self, session: Session, rules: Rules) -> None:
        self._session = session
        self._rules = rules

    def remember(
        self, bank: BankId, draft: Draft, by: By, *, if_version: int | None = None
    ) -> Written:
        """Add or rewrite the memory of the draft's key.

        `if_version` makes it a compare-and-swap; 0 means that the key must be new.
        Raises `BadInput`, `FieldTooLong`, `UnknownId`, `BankFull` or `Conflict`.
        """
        draft = self._rules.checked(draft)
        row = self._lock(bank)
        before = self._find(bank, draft.key)
        _compare(f"{bank}:{draft.key}", before, if_version)
        after = _rewritten(bank, draft, before)
        if before is not None and _same(before, after):
            return Written("unchanged", before.version, before, before)
        return self._record(row, before, after, "revise" if before else "add", by)

    def forget(self, bank: BankId, key: str, by: By, *, if_version: int | None = None) -> Written:
        """Remove a memory; the ledger keeps it.

        Raises `NotFound` or `Conflict`.
        """
        key = clean_key(key, self._rules.caps.key)
        row = self._lock(bank)
        before = self._find(bank, key)
        if before is None:
            raise NotFound(f"{bank} holds no {key}", remedy="see what is there first")
        _compare(before.id, before, if_version)
        return self._record(row, before, None, "forget", by)

    def move(self, source: BankId, key: str, target: BankId, by: By) -> Written:
        """Move a memory to another bank, unchanged.

        Raises `NotFound`, `BankFull`, or `Conflict` when the target holds the key.
        """
        key = clean_key(key, self._rules.caps.key)
        for bank in sorted({source, target}, key=str):
            self._lock(bank)
        before = self._find(source, key)
        if before is None:
            raise NotFound(f"{source} holds no {key}", remedy="see what is there first")
        self._refuse_occupied(target, key)
        return self._record(self._lock(target), before, replace(before, bank=target), "move", by)

    def undo(self, number: int, by: By) -> Written:
        """Reverse ledger entry `number`; that is itself a change, and can be undone.

        Raises `NotFound`, `BadInput` for an entry about something else, `Conflict` with
        the newer text when the memory changed since, or `BankFull`.
        """
        entry = ledger.entry(self._session, number)
        if entry.kind != KIND:
            raise BadInput(
                f"entry {number} is about a {entry.kind}, not a memory",
                remedy="only changes to memories can be undone here",
            )
        was, wanted = restored(entry.after), restored(entry.before)
        banks = {memory.bank for memory in (was, wanted) if memory is not None}
        rows = {bank: self._lock(bank) for bank in sorted(banks, key=str)}
        current = self._unchanged_since(entry, was)
        if wanted is not None and (current is None or wanted.bank != current.bank):
            self._refuse_occupied(wanted.bank, wanted.key)
        row = rows[(wanted or was).bank]  # type: ignore[union-attr]
        action = _action(current, wanted)
        return self._record(row, current, wanted, action, by, undoes=number)

    def _unchanged_since(self, entry: Any, was: Memory | None) -> Memory | None:
        current = self._find(was.bank, was.key) if was else None
        newest = ledger.newest(self._session, entry.target)
        if newest is not None and newest.id == entry.id and (current is None) == (was is None):
            return current
        text = current.content if current else "(forgotten)"
        raise Conflict(
            f"{entry.target} changed since entry {entry.id}",
            remedy=f"undo entry {newest.id if newest else '?'} first, or write it anew",
            current=text,
        )

    def _refuse_occupied(self, bank: BankId, key: str) -> None:
        if (there := self._find(bank, key)) is not None:
            raise Conflict(
                f"{bank} holds a {key} already",
                remedy="forget one of the two first",
                current=there.content,
            )

    def _record(
        self,
        row: BankRow,
        before: Memory | None,
        after: Memory | None,
        action: str,
        by: By,
        undoes: int | None = None,
    ) -> Written:
        """Write the rows of one change: memory, ledger, bank, outbox."""
        caps = self._rules.caps
        stays = before is not None and after is not None and before.bank == after.bank
        if after is not None:
            _check_caps(after, caps)
        if after is not None and not stays:
            kind = after.bank.kind
            latch.refuse_when_full(self._session, row, kind, caps, undo=undoes is not None)
        number = ledger.append(
            self._session,
            kind=KIND,
            target=(after or before).id,  # type: ignore[union-attr]
            action=action,
            actor=by.actor,
            reason=by.reason,
            before=snapshot(before),
            after=snapshot(after),
            undoes=undoes,
            proposal=by.proposal,
        )
        if before is not None and not stays:
            self._remove(before)
        if after is not None:
            after = self._store(replace(after, version=number))
        if after is not None and not stays:
            latch.note_crossing(self._session, row, caps)
        return Written(action, number, before, after)

    def _store(self, memory: Memory) -> Memory:
        self._session.merge(
            MemoryRow(
                bank=str(memory.bank),
                key=memory.key,
                description=memory.description,
                content=memory.content,
                refs=[[ref.type, ref.id] for ref in memory.refs],
                tags=[[tag.kind, tag.id] for tag in memory.tags],
                version=memory.version,
                created_at=memory.created_at,
                updated_at=memory.updated_at,
            )
        )
        self._session.flush()
        return memory

    def _remove(self, memory: Memory) -> None:
        stored = self._session.get(MemoryRow, (str(memory.bank), memory.key))
        if stored is not None:
            self._session.delete(stored)
            self._session.flush()
        latch.release(self._session, self._lock(memory.bank), self._rules.caps)

    def _lock(self, bank: BankId) -> BankRow:
        return latch.locked_bank(self._session, bank)

    def _find(self, bank: BankId, key: str) -> Memory | None:
        row = self._session.get(MemoryRow, (str(bank), key))
        return from_row(row) if row else None


def _check_caps(memory: Memory, caps: Caps) -> None:
    check_length("key", memory.key, caps.key)
    check_length("description", memory.description, caps.description, escaped=True)
    check_length("content", memory.content, caps.content)


def _rewritten(bank: BankId, draft: Draft, before: Memory | None) -> Memory:
    moment = now()
    return Memory(
        bank=bank,
        key=draft.key,
        description=draft.description,
        content=draft.content,
        refs=draft.refs if draft.refs is not None else before.refs if before else (),
        tags=draft.tags if draft.tags is not None else before.tags if before else (),
        version=0,
        created_at=before.created_at if before else moment,
        updated_at=moment,
    )


def _same(one: Memory, other: Memory) -> bool:
    return _text(one) == _text(other)


def _text(memory: Memory) -> tuple[object, ...]:
    return memory.description, memory.content, memory.refs, memory.tags


def _compare(name: str, current: Memory | None, if_version: int | None) -> None:
    version = current.version if current else 0
    if if_version is not None and if_version != version:
        raise Conflict(
            f"{name} is at version {version}, not {if_version}",
            remedy="read the newer text and send the change again with its version",
            current=current.content if current else "",
        )


def _action(before: Memory | None, after: Memory | None) -> str:
    if before is None:
        return "add"
    if after is None:
        return "forget"
    return "revise" if before.bank == after.bank else "move"
