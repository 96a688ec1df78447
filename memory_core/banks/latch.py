"""A bank's row: the writers' lock, the FULL latch and the crossing of the soft limit."""

from __future__ import annotations

from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, func, select

from memory_core.banks.bank import BankId, escaped
from memory_core.banks.caps import Caps
from memory_core.errors import BankFull
from memory_core.store import outbox
from memory_core.store.tables import BankRow, MemoryRow


def locked_bank(session: Session, bank: BankId) -> BankRow:
    """The bank's row, made when missing; writers of one bank queue on it."""
    row = session.get(BankRow, str(bank), with_for_update=True)
    if row is not None:
        return row
    try:
        with session.begin_nested():
            session.add(_fresh(bank))
    except IntegrityError:  # another writer made it meanwhile
        session.expire_all()
    return session.get_one(BankRow, str(bank), with_for_update=True)


def _fresh(bank: BankId) -> BankRow:
    user, scope = (None if name is None else escaped(name) for name in (bank.user, bank.scope))
    return BankRow(id=str(bank), user=user, scope=scope)


def count(session: Session, bank: str) -> int:
    """How many memories the bank holds."""
    query = select(func.count()).where(col(MemoryRow.bank) == bank)
    return session.exec(query).one()


def refuse_when_full(
    session: Session, row: BankRow, kind: str, caps: Caps, *, undo: bool = False
) -> None:
    """Raise `BankFull` where a new key has no place; what an `undo` brings back was there."""
    held = count(session, row.id)
    if (row.latched and not undo) or held >= caps.hard:
        raise BankFull(
            f"the {kind} bank is full ({held} memories) and takes no new key",
            remedy="rewrite a memory under its key, or offer the user to drop an old one",
        )


def note_crossing(session: Session, row: BankRow, caps: Caps) -> None:
    """After a new key: owe one consolidation while the bank is over its soft limit.

    The run's key is bank and generation, so repeats coalesce until a run ends.
    """
    held = count(session, row.id)
    if held <= caps.soft or row.latched:
        return
    key = run_of(row.id, row.generation)
    outbox.post(session, kind=outbox.CONSOLIDATION, key=key, payload=payload(row, held))


def run_of(bank: str, generation: int) -> str:
    """The name of a bank's consolidation, and the key of the outbox row that asks for it."""
    return f"{outbox.CONSOLIDATION}:{bank}:{generation}"


def payload(row: BankRow, held: int) -> dict[str, Any]:
    """What the outbox row of a crossing says."""
    return {"bank": row.id, "generation": row.generation, "count": held}


def release(session: Session, row: BankRow, caps: Caps) -> None:
    """After a removal: clear the latch when the bank is back under its soft limit."""
    if row.latched and count(session, row.id) <= caps.soft:
        row.latched = False
        session.add(row)


def end_run(session: Session, row: BankRow, caps: Caps, *, latch: bool) -> None:
    """After a consolidation run: raise the generation; `latch` sets FULL if still over.

    FULL that stands already stays: only a removal clears it.
    """
    row.generation += 1
    if latch and count(session, row.id) > caps.soft:
        row.latched = True
    session.add(row)
