"""What Prometheus reads as values of now: the index, the floor, banks, scores, what waits.

Each part that cannot be read is left out of the scrape, which never fails for it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from sqlalchemy.exc import SQLAlchemyError

from memory_core.errors import WellkeptError
from memory_core.hooks import spool
from memory_core.readings import carry, runs, scores, sizes
from memory_core.server.metrics import Gauge
from memory_core.store.database import Database

if TYPE_CHECKING:
    from memory_core.server.engine import Engine

log = logging.getLogger("wellkept.server")
_SCORES = ("hit@3", "answered", "point", "quiet")


def of(engine: Engine) -> list[Gauge]:
    """Every gauge that can be told now."""
    found = []
    for part in (_server, _index, _stored):
        try:
            found += list(part(engine))
        except (WellkeptError, SQLAlchemyError, OSError) as error:
            log.warning("left out of the metrics: %s", error)
    return found


def _server(engine: Engine) -> Iterator[Gauge]:
    readings = engine.readings.as_json()
    yield Gauge("build_info", "The version that runs.", 1, {"version": version("wellkept")})
    yield Gauge("ready", "1 = models and index are loaded.", engine.state == "ready")
    yield Gauge("restarts", "Starts after a death, of the last 200 starts.", readings["restarts"])
    yield Gauge("jobs_waiting", "Jobs that wait for the models.", engine.worker.waiting)
    yield Gauge("spool_events", "Events of hooks that are not stored yet.", len(spool.names()))


def _index(engine: Engine) -> Iterator[Gauge]:
    index = engine.index()
    yield Gauge("notes", "Notes in the index.", index["notes"])
    yield Gauge("passages", "Passages in the index.", index["passages"])
    yield Gauge("passages_waiting", "Passages without a vector.", index["waiting_for_vectors"])
    yield Gauge("vault_problems", "Files of the vault that are wrong.", len(index["problems"]))
    yield Gauge("index_building", "1 = the index is incomplete.", index["building"])
    yield Gauge("floor", "The raw score under which nothing is shown.", index["floor"])
    yield Gauge("clearance", "Floor minus the best nonsense score.", index["clearance"])
    yield Gauge(
        "clearance_timestamp_seconds", "When the clearance was measured.",
        _seconds(index["clearance_at"]),
    )  # fmt: skip


def _stored(engine: Engine) -> Iterator[Gauge]:
    database = engine.memory.banks().database
    for part in (_banks, _waiting, _runs, _scores):
        yield from part(engine, database)
    if held := carry.always_loaded(engine.settings):
        yield Gauge("always_loaded_characters", "Size of the file.", held["characters"])
        yield Gauge("always_loaded_cap_characters", "What it may have.", held["cap"])


def _banks(engine: Engine, database: Database) -> Iterator[Gauge]:
    found = sizes.banks(database, engine.settings)
    for kind in ("private", "shared", "global"):
        of_kind = [bank for bank in found if bank["kind"] == kind]
        memories = sum(bank["memories"] for bank in of_kind)
        yield Gauge("memories", "Memories by kind of bank.", memories, {"bank": kind})
    full = sum(bank["full"] for bank in found)
    yield Gauge("banks_full", "Banks that take no new key.", full)


def _waiting(engine: Engine, database: Database) -> Iterator[Gauge]:
    waiting = runs.waiting(database, engine.settings.user)
    yield Gauge("proposals_waiting", "Proposals that wait for a decision.", len(waiting))
    items = sum(one["items"] for one in waiting)
    yield Gauge("proposal_items_waiting", "Their undecided items.", items)


def _runs(_engine: Engine, database: Database) -> Iterator[Gauge]:
    for run in runs.last(database):
        of_routine = {"routine": run["routine"]}
        told = "When the routine's last run began."
        yield Gauge("routine_last_run_timestamp_seconds", told, _seconds(run["at"]), of_routine)
        told = "1 = the routine's last run failed."
        yield Gauge("routine_last_run_failed", told, run["state"] == "failed", of_routine)


def _scores(engine: Engine, database: Database) -> Iterator[Gauge]:
    for name, run in scores.latest(database, engine.vault_name).items():
        for score in _SCORES if run else ():
            assert run
            labels = {"set": name, "score": score}
            yield Gauge("benchmark_score", "The last run's scores, 0 to 1.", run[score], labels)


def _seconds(moment: Any) -> float | None:
    return datetime.fromisoformat(moment).timestamp() if moment else None
