"""The scores of both question sets over time: numbers alone, never a question."""

from __future__ import annotations

from itertools import islice
from typing import Any

from sqlalchemy import select

from memory_core.benchmark import trend
from memory_core.benchmark.questions import SETS
from memory_core.store.database import Database
from memory_core.store.tables import BenchmarkRun, table, utc

SHOWN = ("hit@3", "answered", "point", "quiet", "characters")


def history(database: Database, vault: str, limit: int = 500) -> dict[str, list[dict[str, Any]]]:
    """The last runs of each set over a vault, oldest first, under the set's name.

    Each is `{id, at, questions, judge, floor, vault_commit, hit@3, answered, ...}`.
    """
    return {name: _runs(database, name, vault, limit) for name in SETS}


def latest(database: Database, vault: str) -> dict[str, dict[str, Any] | None]:
    """The last run of each set, None for a set that was never asked."""
    return {name: next(iter(_runs(database, name, vault, 1)), None) for name in SETS}


def warning(database: Database, vault: str) -> str:
    """That only the working set rose, in a line; "" where there is nothing to warn of."""
    found = trend.of_history(database, vault)
    return found.said if found.warns else ""


def _runs(database: Database, name: str, vault: str, limit: int) -> list[dict[str, Any]]:
    """A run that does not name its vault may be of any."""
    run = table(BenchmarkRun)
    columns = (run.c.id, run.c.at, run.c.judge, run.c.floor, run.c.vault_commit, run.c.scores)
    query = select(*columns).where(run.c.name == name).order_by(run.c.id.desc())
    with database.read() as session:
        found = session.connection().execute(query)
        own = (row for row in found if row.scores.get("vault", vault) == vault)
        rows = list(islice(own, limit))
    return [
        {
            "id": row.id, "at": utc(row.at).isoformat(timespec="seconds"), "judge": row.judge,
            "floor": row.floor, "vault_commit": row.vault_commit,
            "questions": row.scores.get("questions"),
            **{score: row.scores.get(score) for score in SHOWN},
        }
        for row in reversed(rows)
    ]  # fmt: skip
