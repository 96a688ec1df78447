"""Move a project's banks to another scope: its origin changed, or its folder moved."""

from __future__ import annotations

from sqlmodel import col, select

from memory_core.banks.bank import BankId, check_name, escaped, parse_bank_id
from memory_core.banks.banks import Banks
from memory_core.banks.writer import By, Written
from memory_core.errors import BadInput, NotFound
from memory_core.store.tables import BankRow


def remap(banks: Banks, old: str, new: str, by: By) -> list[Written]:
    """Move every memory of the scope `old`, of all users, to `new`: all, or none.

    Raises `NotFound` when nothing is there, `Conflict` when a key is taken in the target,
    `BankFull` when they do not fit.
    """
    check_name("scope", new)
    if old == new:
        raise BadInput("the two scopes are the same", remedy="name the old and the new one")
    moved = []
    with banks.writing() as writer:
        for source in _banks_of(banks, old):
            target = BankId(source.user, new)
            for memory in banks.held([source]):
                moved.append(writer.move(source, memory.key, target, by))
    if not moved:
        raise NotFound(f"no bank of the scope {old!r} holds a memory", remedy="see wellkept status")
    return moved


def _banks_of(banks: Banks, scope: str) -> list[BankId]:
    query = select(BankRow.id).where(col(BankRow.scope) == escaped(scope)).order_by(BankRow.id)
    with banks.database.read() as session:
        return [parse_bank_id(name) for name in session.exec(query)]
