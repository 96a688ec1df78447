"""How full the banks are."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, select

from memory_core.banks.bank import escaped, parse_bank_id
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.store.tables import BankRow, MemoryRow, table


def banks(database: Database, settings: Settings) -> list[dict[str, Any]]:
    """`{bank, kind, memories, soft, hard, full}` of the user's banks and the shared ones, by id.

    `full` = it takes no new key until some are dropped.
    """
    bank, memory = table(BankRow), table(MemoryRow)
    held = select(memory.c.bank, func.count().label("memories")).group_by(memory.c.bank).subquery()
    owned = bank.c.user.is_(None) | (bank.c.user == escaped(settings.user))
    query = (
        select(bank.c.id, bank.c.latched, func.coalesce(held.c.memories, 0))
        .select_from(bank.outerjoin(held, bank.c.id == held.c.bank))
        .where(owned)
        .order_by(bank.c.id)
    )
    with database.read() as session:
        rows = session.connection().execute(query).all()
    soft, hard = settings.bank_soft_limit, settings.bank_hard_limit
    return [
        {
            "bank": name, "kind": parse_bank_id(name).kind, "memories": count, "soft": soft,
            "hard": hard, "full": bool(latched),
        }
        for name, latched, count in rows
    ]  # fmt: skip
