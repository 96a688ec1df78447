"""What waits for a decision, and how the last run of each routine ended."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlmodel import col, func, select

from memory_core.cli.review.told import age, counted, lasting
from memory_core.proposals import foretold, queue
from memory_core.store.database import Database
from memory_core.store.tables import ProposalRow, utc


def read(database: Database, user: str) -> dict[str, Any]:
    """`{waiting, items, oldest, runs, objections}`.

    Counts, the oldest one's time, one run a routine, and how often objections foretold a
    decision (`foretold.counted`).
    """
    found = queue.waiting(database, user=user)
    return {
        "waiting": len(found),
        "items": sum(len(proposal.open) for proposal in found),
        "oldest": min((proposal.created_at.isoformat() for proposal in found), default=None),
        "runs": [_run(row) for row in _last_runs(database)],
        "objections": foretold.counted(database, user),
    }


def lines(document: dict[str, Any]) -> list[tuple[str, str]]:
    """What a person reads of it, as name and value."""
    told = "none waits"
    if document["waiting"]:
        passed = datetime.now(UTC) - datetime.fromisoformat(document["oldest"])
        verb = "waits" if document["waiting"] == 1 else "wait"
        told = (
            f"{document['waiting']} {verb} ({counted(document['items'], 'item')}), "
            f"the oldest for {lasting(passed)}: wellkept review"
        )
    runs = [
        f"{run['routine']} {age(datetime.fromisoformat(run['at']))}, {run['state']}"
        for run in document["runs"]
    ]
    objections = foretold.told(document["objections"])
    return [
        ("proposals", told),
        *([("last runs", "; ".join(runs))] if runs else []),
        *([("objections", objections)] if objections else []),
    ]


def _last_runs(database: Database) -> list[ProposalRow]:
    newest = select(func.max(ProposalRow.id)).group_by(ProposalRow.routine)
    query = select(ProposalRow).where(col(ProposalRow.id).in_(newest))
    with database.read() as session:
        return list(session.exec(query.order_by(ProposalRow.routine)).all())


def _run(row: ProposalRow) -> dict[str, Any]:
    return {
        "routine": row.routine, "proposal": row.id, "subject": row.subject, "state": row.state,
        "at": utc(row.created_at).isoformat(),
    }  # fmt: skip
