"""What waits for a decision, and how the last run of each routine ended."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from memory_core.cli.review.told import age, counted, lasting
from memory_core.proposals import foretold
from memory_core.readings import runs
from memory_core.store.database import Database


def read(database: Database, user: str) -> dict[str, Any]:
    """`{waiting, items, oldest, open, runs, objections}`.

    Counts, the oldest one's time, each that waits, one run a routine, and how often objections
    foretold a decision (`foretold.counted`).
    """
    found = runs.waiting(database, user)
    return {
        "waiting": len(found),
        "items": sum(one["items"] for one in found),
        "oldest": min((one["at"] for one in found), default=None),
        "open": found,
        "runs": runs.last(database),
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
