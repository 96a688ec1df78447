"""What the page shows: the status document, and the past that the database keeps."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory_core.errors import WellkeptError
from memory_core.readings import runs, scores
from memory_core.recall import clearance
from memory_core.recall.clearance import Clearance
from memory_core.settings import load
from memory_core.store.calls import KEPT, Call, peek
from memory_core.store.database import Database
from memory_core.store.tables import now as this_moment


@dataclass(frozen=True, slots=True)
class Gathered:
    """`scores` as `readings.scores.history`, `findings` as `readings.runs.findings`."""

    made: datetime
    status: dict[str, Any]
    deadline_ms: int
    calls: list[Call] = field(default_factory=list)
    scores: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    clearances: list[Clearance] = field(default_factory=list)
    findings: dict[str, Any] = field(default_factory=dict)


def now() -> Gathered:
    """Gather it; a part that cannot be read is empty and the status says why.

    Raises `SettingsError`.
    """
    from memory_core.cli import status

    chosen = load()
    document, calls, made = status.read(), peek(KEPT), this_moment()
    if "problem" in document["proposals"]:
        return Gathered(made, document, chosen.deadline_ms, calls)
    vault = str(chosen.vault or "")
    try:
        database = Database(chosen.resolved_database_url)
        return Gathered(
            made, document, chosen.deadline_ms, calls, scores.history(database, vault),
            clearance.history(database, vault), runs.findings(database),
        )  # fmt: skip
    except WellkeptError:
        return Gathered(made, document, chosen.deadline_ms, calls)
