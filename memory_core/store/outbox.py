"""Work that a committed change owes, written in the change's own transaction and done later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlmodel import Session, col, select

from memory_core.store.tables import OutboxRow, now

CONSOLIDATION = "consolidation"  # payload: bank, generation, count
FORGET = "forget"  # payload: proposal; what Prefect shows of it is deleted
WRAP = "wrap"  # payload: session, position, sequence, turn; all recorded up to there


def post(session: Session, *, kind: str, key: str, payload: dict[str, Any]) -> bool:
    """Add a row unless its key is there, done or not; returns whether it was added."""
    if session.get(OutboxRow, key) is not None:
        return False
    session.add(OutboxRow(key=key, kind=kind, at=now(), payload=payload))
    session.flush()
    return True


def renew(session: Session, *, kind: str, key: str, payload: dict[str, Any]) -> None:
    """Ask for it, again if it was done: what did it died before it left anything."""
    if not post(session, kind=kind, key=key, payload=payload):
        row = session.get_one(OutboxRow, key)
        row.payload, row.done_at = payload, None
        session.add(row)


def pending(session: Session, kind: str) -> Sequence[OutboxRow]:
    """The rows of a kind that are still to be done, oldest first."""
    query = select(OutboxRow).where(OutboxRow.kind == kind, col(OutboxRow.done_at).is_(None))
    return session.exec(query.order_by(col(OutboxRow.at), col(OutboxRow.key))).all()


def done(session: Session, key: str) -> None:
    """Mark a row as done; again is harmless."""
    row = session.get(OutboxRow, key)
    if row is not None and row.done_at is None:
        row.done_at = now()
        session.add(row)
