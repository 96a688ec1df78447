"""The scores of both question sets over time: numbers alone, never a question."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from memory_core.benchmark.questions import SETS
from memory_core.store.database import Database
from memory_core.store.tables import BenchmarkRun, table, utc

SHOWN = ("hit@3", "answered", "point", "quiet", "characters")


def history(database: Database, limit: int = 500) -> dict[str, list[dict[str, Any]]]:
    """The last runs of each set, oldest first, under the set's name.

    Each is `{id, at, questions, judge, floor, vault_commit, hit@3, answered, ...}`.
    """
    return {name: _runs(database, name, limit) for name in SETS}


def latest(database: Database) -> dict[str, dict[str, Any] | None]:
    """The last run of each set, None for a set that was never asked."""
    return {name: next(iter(_runs(database, name, 1)), None) for name in SETS}


def _runs(database: Database, name: str, limit: int) -> list[dict[str, Any]]:
    run = table(BenchmarkRun)
    columns = (run.c.id, run.c.at, run.c.judge, run.c.floor, run.c.vault_commit, run.c.scores)
    query = select(*columns).where(run.c.name == name).order_by(run.c.id.desc()).limit(limit)
    with database.read() as session:
        rows = session.connection().execute(query).all()
    return [
        {
            "id": row.id, "at": utc(row.at).isoformat(timespec="seconds"), "judge": row.judge,
            "floor": row.floor, "vault_commit": row.vault_commit,
            "questions": row.scores.get("questions"),
            **{score: row.scores.get(score) for score in SHOWN},
        }
        for row in reversed(rows)
    ]  # fmt: skip


def warning(_database: Database) -> str:
    """Why a rise of the working set alone is no improvement, in a line; "" where it is none."""
    return ""
