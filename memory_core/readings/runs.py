"""How the last run of each routine ended, and what waits for a decision."""

from __future__ import annotations

from typing import Any

from sqlmodel import col, func, select

from memory_core.proposals import proposal as states
from memory_core.proposals import queue
from memory_core.store.database import Database
from memory_core.store.tables import ProposalRow, utc

ROUTINES = ("wrap", "dream", "optimize", "consolidation")


def last(database: Database) -> list[dict[str, Any]]:
    """`{routine, proposal, subject, state, at, why}` of each routine's last run, by routine.

    `why` is what a failed run said, else "".
    """
    newest = select(func.max(ProposalRow.id)).group_by(col(ProposalRow.routine))
    query = select(ProposalRow).where(col(ProposalRow.id).in_(newest))
    with database.read() as session:
        rows = list(session.exec(query.order_by(col(ProposalRow.routine))).all())
    return [
        {
            "routine": row.routine, "proposal": row.id, "subject": row.subject,
            "state": row.state, "at": utc(row.created_at).isoformat(),
            "why": row.notices[-1] if row.state == states.FAILED and row.notices else "",
        }
        for row in rows
    ]  # fmt: skip


def waiting(database: Database, user: str) -> list[dict[str, Any]]:
    """`{proposal, routine, subject, items, at}` of what a person has to decide, oldest first."""
    return [
        {
            "proposal": one.id, "routine": one.routine, "subject": one.subject,
            "items": len(one.open), "at": one.created_at.isoformat(),
        }
        for one in queue.waiting(database, user=user)
    ]  # fmt: skip


def findings(database: Database) -> dict[str, Any]:
    """`{proposal, at, findings}` of the last optimize run that did not fail; empty before one."""
    query = (
        select(ProposalRow)
        .where(ProposalRow.routine == "optimize", ProposalRow.state != states.FAILED)
        .order_by(col(ProposalRow.id).desc())
        .limit(1)
    )
    with database.read() as session:
        row = session.exec(query).first()
    if row is None:
        return {}
    listed = row.window.get("findings") or []
    rows = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return {"proposal": row.id, "at": utc(row.created_at).isoformat(), "findings": rows}
