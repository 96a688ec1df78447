"""The warm engine: settings, database, vault, index and models under one roof.

All model work and every write to the index happen on one worker thread. Until the
models are there, and whenever something is missing, each call says which.
"""

from __future__ import annotations

import logging
import os
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from memory_core import paths
from memory_core.banks.banks import Banks, open_banks
from memory_core.banks.context import Context
from memory_core.banks.project import context_at
from memory_core.errors import NotCalibrated, RecallUnavailable, WellkeptError
from memory_core.recall import clearance
from memory_core.recall.answer import Answer, Found
from memory_core.recall.floor import in_force
from memory_core.recall.recall import Models, Recall
from memory_core.server import gauges, protocol
from memory_core.server.bodies import RecallBody, SessionStartBody
from memory_core.server.daily import Daily
from memory_core.server.indexing import Indexing
from memory_core.server.jobs import Urgency, Worker
from memory_core.server.library import Library
from memory_core.server.memory import MemoryDesk
from memory_core.server.readings import Readings
from memory_core.server.reasons import BUILDING, LOADING
from memory_core.server.shelf import Shelf
from memory_core.settings import Settings
from memory_core.store.calls import Calls
from memory_core.store.database import Database
from memory_core.store.shown import Shown
from memory_core.vault.always_loaded import state as always_loaded_state
from memory_core.vault.vault import Vault

log = logging.getLogger("wellkept.server")


class Engine:
    """Start it once; the calls are safe from any thread."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.readings = Readings()
        self.worker = Worker()
        self.memory = MemoryDesk(settings)
        self.state, self.reason = "loading", LOADING
        self._indexing: Indexing | None = None
        self._daily: Daily | None = None
        self._library: Library | None = None
        self._recall: Recall | None = None
        self._database: Database | None = None
        self._shown: Shown | None = None
        self._banks: Banks | None = None
        self._shelf: Shelf | None = None

    def start(self) -> None:
        """Load everything in the background; `state` tells how far it is."""
        self.worker.start()
        self.worker.submit(Urgency.PERSON, self._load)

    def stop(self) -> bool:
        """End in good order; false when a job inside the models still runs."""
        for background in (self._indexing, self._daily):
            if background:
                background.stop()
        idle = self.worker.stop()
        self.readings.note_stop()
        return idle

    @property
    def vault_name(self) -> str:
        """The vault's folder, or nothing."""
        return str(self.settings.vault or "")

    def health(self) -> dict[str, Any]:
        """State, reason, version, process; never waits."""
        return {
            "status": self.state,
            "reason": self.reason,
            "version": version("wellkept"),
            "protocol": protocol.VERSION,
            "pid": os.getpid(),
            "home": str(paths.home()),
            "vault": self.vault_name,
            "notes": len(self._library.hashes) if self._library else 0,
            "building": self.building,
            "measuring": self._indexing.measuring if self._indexing else "",
        }

    @property
    def building(self) -> bool:
        """Whether notes are still missing from the index, or vectors from the notes."""
        return not self._indexing or self._indexing.building

    def index(self) -> dict[str, Any]:
        """What the index holds and what is wrong with the vault; never waits."""
        recall, library = self._recall, self._library
        return {
            **(library.as_json() if library else {"notes": 0, "problems": []}),
            "vault": self.vault_name,
            "passages": recall.passages if recall else 0,
            "waiting_for_vectors": recall.pending if recall else 0,
            "memories": self._shelf.memories if self._shelf else 0,
            "building": self.building,
            "judge": recall.judge_id if recall else "",
            "models": (recall.models.problem or "loaded") if recall else self.reason,
            **self._floor_json(),
        }

    def metrics(self) -> tuple[bytes, str]:
        """The readings as Prometheus reads them, and their content type."""
        return self.readings.metrics.text(gauges.of(self))

    def context(self, body: RecallBody) -> Context:
        """Where a request stands; looks at its folder, which may take its time.

        Raises `BadInput` for a folder or a scope that cannot be.
        """
        user, scope = body.user or self.settings.user, body.scope or None
        return context_at(self._known_banks().rules, user, body.cwd or Path.home(), scope=scope)

    def recall(self, body: RecallBody, context: Context, deadline: float) -> Future[Answer]:
        """Queue a recall; `deadline` is on the monotonic clock."""
        urgency = Urgency.BULK if body.bulk else Urgency.PERSON
        ask = partial(self._answer, body, context, deadline)
        return self.worker.submit(urgency, ask, deadline)

    def remember_shown(self, session: str, answer: Answer, digest: str) -> None:
        """The session has now been shown the answer's notes, and the digest if it came along."""
        self.memory.delivered(session, digest)
        fresh = [(found.source, self._content(found)) for found in answer.notes]
        if self._shown and fresh:
            self._shown.add(session, fresh)

    def session_start(self, body: SessionStartBody) -> dict[str, Any]:
        """What a session reads first; a cleared or compacted one has forgotten what it saw."""
        if self._shown and body.session and body.source in ("clear", "compact"):
            self._shown.forget(body.session)
        notices, section, waiting = self._notices(), "", 0
        try:
            section = self.memory.at_start(body)
            waiting = self.memory.waiting()
        except WellkeptError as error:
            notices.append(f"Memory unavailable: {error.message}.")
        return {
            "digest": section,
            "always_loaded": self._always_loaded(),
            "proposals": waiting,
            "notices": notices,
        }

    def models(self) -> Models:
        """The loaded models; raises `RecallUnavailable` while there are none."""
        if not self._recall:
            raise RecallUnavailable(self.reason)
        return self._recall.models

    def _answer(self, body: RecallBody, context: Context, deadline: float) -> Answer:
        recall = self._ready()
        assert self._shelf
        try:
            floor = self._floor(recall)
        except NotCalibrated as error:
            measuring = self._indexing.measuring if self._indexing else ""
            return Answer("unavailable", reason=measuring or str(error))
        visible = self._shelf.visible(recall, context)
        answer = recall.recall(
            body.query, floor=floor, visible=visible, limit=body.limit, deadline=deadline
        )
        return self._known_to(body.session, self._while_building(answer))

    def _known_banks(self) -> Banks:
        if not self._recall or not self._banks:
            raise RecallUnavailable(self.reason)
        return self._banks

    def _ready(self) -> Recall:
        if not self._recall:
            raise RecallUnavailable(self.reason)
        return self._recall

    def _floor(self, recall: Recall) -> float:
        assert self._database
        return in_force(self._database, recall.judge_id, self.vault_name).value

    def _while_building(self, answer: Answer) -> Answer:
        """An incomplete index finds what it holds; that it found nothing proves nothing."""
        if self._library and self._library.missing:
            return Answer("unavailable", reason=self._library.missing)
        if not self.building or answer.status == "unavailable":
            return answer
        if answer.status == "nothing":
            return replace(answer, status="unavailable", reason=BUILDING)
        return replace(answer, reason=answer.reason or BUILDING)

    def _known_to(self, session: str, answer: Answer) -> Answer:
        """The same answer; notes that the session was shown come without their text."""
        if not session or not self._shown or not answer.notes:
            return answer
        shown = self._shown.of(session)
        notes = [
            replace(found, text="", repeated=True)
            if shown.get(found.source) == self._content(found)
            else found
            for found in answer.notes
        ]
        return replace(answer, notes=tuple(notes))

    def _content(self, found: Found) -> str:
        hashes = self._library.hashes if self._library else {}
        return hashes.get(found.source, found.updated)

    def _notices(self) -> list[str]:
        if self.state != "ready":
            return [f"Memory unavailable: {self.reason}."]
        limits = [f"Memory: {self.reason}."] if self.reason else []
        floor = self._floor_json()
        if floor["floor"] is None:
            return [*limits, f"Memory unavailable: {floor['calibration']}."]
        if floor["clearance"] < 0 and self.settings.quiet is None:
            said = clearance.negative(floor["clearance"], floor["worst"])
            limits.append(f"Memory: {said}; run wellkept calibrate.")
        return limits

    def _always_loaded(self) -> dict[str, Any]:
        settings = self.settings
        if not settings.vault:
            return {}
        found = always_loaded_state(
            settings.vault, settings.always_loaded, settings.always_loaded_cap
        )
        return {
            "file": str(settings.vault / found.file),
            "characters": found.characters if found.exists else None,
            "cap": found.cap,
            "problem": found.problem,
        }

    def _floor_json(self) -> dict[str, Any]:
        none = {"floor": None, "clearance": None, "clearance_at": None, "worst": ""}
        if not self._recall or not self._database:
            return none | {"calibration": self.reason}
        judge = self._recall.judge_id
        try:
            floor = in_force(self._database, judge, self.vault_name)
            last = clearance.newest(self._database, judge, self.vault_name)
        except WellkeptError as error:
            return none | {"calibration": str(error)}
        return {
            "floor": floor.value,
            "clearance": last.value if last else floor.clearance,
            "clearance_at": last.at.isoformat(timespec="seconds") if last else None,
            "worst": last.worst if last else "",
            "quiet": self.settings.quiet,  # a share under 1 lets some nonsense through by choice
            "calibration": f"{floor.questions} questions"
            + (" only" if floor.questions == "general" else ""),
        }

    def _load(self) -> None:
        try:
            self._open()
        except WellkeptError as error:
            self._fail(str(error))
        except Exception as error:
            log.exception("loading failed")
            self._fail(f"loading failed with {type(error).__name__}: {error}")

    def _fail(self, reason: str) -> None:
        self.state, self.reason = "failed", reason
        log.error("%s", reason)

    def _open(self) -> None:
        self.readings.attach(Calls())
        if not self.settings.vault:
            raise RecallUnavailable("no vault is set", remedy="run: wellkept init VAULT")
        self._database = Database(self.settings.resolved_database_url)
        self._library = Library(Vault(self.settings.vault, self.settings.always_loaded))
        self._shown = Shown()
        self._indexing = Indexing(self.settings, self.worker, self._database)
        self._banks = open_banks(self.settings, self._database)
        self._shelf = Shelf(self._banks)
        models = Models.load(self.settings)
        kept = self._database if self._database.shared else paths.cache_file()
        self._recall = Recall(self.settings, models, kept)
        self.state, self.reason = "ready", models.problem
        self._indexing.start(self._library, self._recall)
        self._daily = Daily(self.settings, self.worker, self._database, self._indexing)
        self._daily.start(self._library, self._recall)
