"""The append-only list of every change to memory: who, why, before, after.

The database itself refuses to update or delete a row (triggers of the migration).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlmodel import Session, col, select

from memory_core.errors import NotFound
from memory_core.store.tables import LedgerRow, now
from memory_core.text import clean, one_line, without_surrogates


def append(
    session: Session,
    *,
    kind: str,
    target: str,
    action: str,
    actor: str,
    reason: str,
    before: dict[str, Any] | None,
    after: dict[str, Any] | None,
    undoes: int | None = None,
    proposal: str | None = None,
) -> int:
    """Add a row inside the caller's transaction and return its number."""
    actor, reason = one_line(clean(actor)), one_line(clean(reason))  # shown on terminals
    row = LedgerRow(
        at=now(), kind=kind, target=target, action=action, actor=actor, reason=reason,
        before=before, after=after, undoes=undoes, proposal=proposal,
    )  # fmt: skip
    session.add(row)
    session.flush()
    assert row.id is not None
    return row.id


def entry(session: Session, number: int) -> LedgerRow:
    """The row `number`.

    Raises `NotFound`.
    """
    row = session.get(LedgerRow, number) if 0 < number < 2**63 else None
    if row is None:
        raise NotFound(f"the ledger has no entry {number}", remedy="see wellkept history")
    return row


def newest(session: Session, target: str) -> LedgerRow | None:
    """The last change of `target`."""
    query = select(LedgerRow).where(LedgerRow.target == target)
    return session.exec(query.order_by(col(LedgerRow.id).desc()).limit(1)).first()


def entries(
    session: Session, *, target: str | None = None, limit: int = 50, before: int | None = None
) -> Sequence[LedgerRow]:
    """Rows, newest first; `before` continues a listing below that number."""
    query = select(LedgerRow).order_by(col(LedgerRow.id).desc()).limit(limit)
    if target is not None:
        query = query.where(LedgerRow.target == without_surrogates(target))
    if before is not None:
        query = query.where(col(LedgerRow.id) < before)
    return session.exec(query).all()
