"""Measures the clearance once a day, in the background and while nobody asks.

Whether a day has passed is read from the database, so a restart repeats nothing.
"""

from __future__ import annotations

import logging
import threading

from memory_core.errors import RecallUnavailable, WellkeptError
from memory_core.recall.recall import Recall
from memory_core.server import calibrating
from memory_core.server.indexing import Indexing
from memory_core.server.jobs import STOPPING, Worker
from memory_core.server.library import Library
from memory_core.settings import Settings
from memory_core.store.database import Database

log = logging.getLogger("wellkept.server")
LOOK_S = 300.0  # seconds between two looks at whether a day has passed
QUIET_S = 3.0  # seconds without a person's request before the next question is asked
_TICK = 0.5


class Daily:
    """A thread of its own; off with the setting `measure_floor`."""

    def __init__(
        self, settings: Settings, worker: Worker, database: Database, indexing: Indexing
    ) -> None:
        self._settings, self._worker = settings, worker
        self._database, self._indexing = database, indexing
        self._stop = threading.Event()

    def start(self, library: Library, recall: Recall) -> None:
        """Look every few minutes until `stop`."""
        if self._settings.measure_floor:
            run = threading.Thread(
                target=self._run, args=(library, recall), name="clearance", daemon=True
            )
            run.start()

    def stop(self) -> None:
        """Measure no more."""
        self._stop.set()

    def _run(self, library: Library, recall: Recall) -> None:
        queued = calibrating.Queued(recall, self._worker, self._await_quiet)
        while not self._stop.wait(LOOK_S):
            whole = library.scanned and not library.missing and recall.passages
            if not whole or self._indexing.building or self._indexing.measuring:
                continue  # what an incomplete index reaches says nothing
            try:
                calibrating.daily_clearance(queued, self._settings, self._database)
            except WellkeptError as error:
                log.warning("the clearance could not be measured: %s", error)
            except Exception:
                log.exception("the clearance could not be measured")

    def _await_quiet(self) -> None:
        while self._worker.quiet_s < QUIET_S and not self._stop.wait(_TICK):
            pass
        if self._stop.is_set():
            raise RecallUnavailable(STOPPING)
