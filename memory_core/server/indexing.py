"""Follows a vault into the index, and gives a vault without a floor its first one.

Runs on threads of its own; every write to the index is a small job of the worker.
"""

from __future__ import annotations

import logging
import threading
from functools import partial

from memory_core.errors import NotCalibrated, RecallUnavailable, WellkeptError
from memory_core.recall.floor import in_force
from memory_core.recall.recall import Recall
from memory_core.server import calibrating
from memory_core.server.bulk import BATCH
from memory_core.server.jobs import Urgency, Worker
from memory_core.server.library import Change, Library
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.vault.watch import watch

log = logging.getLogger("wellkept.server")
NO_NOTE = "the vault has no note yet"


class Indexing:
    """`measuring` tells how far a first floor is; empty when none is being measured."""

    def __init__(self, settings: Settings, worker: Worker, database: Database) -> None:
        self.measuring = ""
        self._settings, self._worker, self._database = settings, worker, database
        self._stop = threading.Event()
        self._built = self._embedding = False
        self._recall: Recall | None = None

    @property
    def building(self) -> bool:
        """Whether notes are still missing from the index, or vectors from the notes."""
        return not self._built or bool(self._recall and self._recall.pending)

    def start(self, library: Library, recall: Recall) -> None:
        """Index the vault, then every change of it, until `stop`."""
        self._recall = recall
        for name, run in (("vault", self._follow), ("floor", self._measure_first_floor)):
            threading.Thread(target=run, args=(library, recall), name=name, daemon=True).start()

    def stop(self) -> None:
        """Follow no longer."""
        self._stop.set()

    def _follow(self, library: Library, recall: Recall) -> None:
        self._take_in(library, recall)
        for _ in watch(library.vault, self._stop):
            self._take_in(library, recall)

    def _take_in(self, library: Library, recall: Recall) -> None:
        """Bring the index up to the vault; vectors follow while others are served."""
        try:
            for step in library.look().steps():
                self._index(recall, step)
        except RecallUnavailable:
            return  # the server is stopping
        except Exception:
            log.exception("the vault could not be indexed")
        self._built = library.scanned
        if recall.pending and not self._embedding:
            self._embedding = True
            self._worker.submit(Urgency.INDEX, partial(self._embed_on, recall))

    def _index(self, recall: Recall, step: Change) -> None:
        run = partial(recall.update, step.sources, step.removed)
        self._worker.submit(Urgency.INDEX, run).result()

    def _embed_on(self, recall: Recall) -> None:
        """Embed a few waiting passages and come back for more."""
        self._embedding = False
        if recall.embed_some(BATCH):
            self._embedding = True
            self._worker.submit(Urgency.INDEX, partial(self._embed_on, recall))

    def _measure_first_floor(self, library: Library, recall: Recall) -> None:
        if not self._settings.measure_floor or self._has_floor(recall):
            return
        while not self._stop.is_set():
            self.measuring = "measuring the floor"
            while self.building and not self._stop.wait(0.2):
                pass
            if self._measured(library, recall):
                break
            self.measuring = NO_NOTE
            while not library.hashes and not self._stop.wait(1.0):
                pass
        self.measuring = ""

    def _measured(self, library: Library, recall: Recall) -> bool:
        """Measure the floor; false for a vault without notes, which is to be tried again."""
        try:
            queued = calibrating.Queued(recall, self._worker)
            notes = library.vault.scan().notes
            database = self._database
            return calibrating.first_floor(queued, self._settings, database, notes, self._say)
        except WellkeptError as error:
            log.warning("the floor could not be measured: %s", error)
            return True

    def _say(self, line: str) -> None:
        self.measuring = line

    def _has_floor(self, recall: Recall) -> bool:
        try:
            in_force(self._database, recall.judge_id, str(self._settings.vault))
        except NotCalibrated:
            return False
        return True
