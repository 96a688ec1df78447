"""Reverse a recorded change of a memory; of an approved merge, every memory that went into it.

All of it, or nothing. An undo is a change like any other.
"""

from __future__ import annotations

from sqlmodel import Session, col, select

from memory_core.banks.banks import open_banks
from memory_core.banks.writer import By, Written
from memory_core.proposals import memories
from memory_core.settings import Settings
from memory_core.store import ledger
from memory_core.store.database import Database
from memory_core.store.tables import ItemRow, LedgerRow


def undo(database: Database, settings: Settings, number: int, by: By) -> tuple[Written, ...]:
    """Reverse ledger entry `number`: its own change first, then what the same merge forgot.

    A merged memory that somebody has brought back or changed since stays as it is. Raises
    what `Writer.undo` raises.
    """
    with database.write() as session:
        writer = open_banks(settings, database).writer(session)
        found = [writer.undo(number, by)]
        found += [writer.undo(entry, by) for entry in _forgotten(session, number)]
    return tuple(found)


def _forgotten(session: Session, number: int) -> list[int]:
    """The entries of the memories that the merge behind an entry forgot, still forgotten."""
    merge = select(ItemRow).where(ItemRow.ledger == number, ItemRow.action == "merge")
    item = session.exec(merge.where(ItemRow.kind == "memory")).first()
    if item is None:
        return []
    found = []
    for name in memories.merges(item.detail, item.target):
        query = select(LedgerRow).where(
            LedgerRow.target == name, LedgerRow.proposal == str(item.proposal)
        )
        entry = session.exec(query.order_by(col(LedgerRow.id).desc())).first()
        newest = ledger.newest(session, name)
        if entry is not None and entry.id is not None and newest and newest.id == entry.id:
            found.append(entry.id)
    return found
