"""The background processes of Wellkept: how each is started, and when it counts as ready."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from deployments import orchestrator
from memory_core import paths
from memory_core.errors import ServerUnavailable
from memory_core.server import protocol
from memory_core.server.client import Client
from memory_core.server.lock import ProcessLock, identity
from memory_core.settings import Settings

PROGRAM = [sys.executable, "-I", "-m", "memory_core"]
ROUTINES_LOCK = "routines.lock"  # held once the flows are served
LOG_BYTES = 1_000_000
LOGS_KEPT = 3
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 30.0  # seconds before a restart
_STEADY = 60.0  # seconds of life after which the waiting starts over


@dataclass(frozen=True, slots=True)
class State:
    """How far a child is; `line` says it to a person. `failed` = it runs and cannot work."""

    ready: bool
    line: str
    failed: bool = False


@dataclass(slots=True)
class Child:
    """One process that is kept alive. `probe` looks at it from outside and never raises."""

    name: str
    command: list[str]
    probe: Callable[[], State]
    env: dict[str, str] = field(default_factory=dict)  # beside the caller's
    process: subprocess.Popen[bytes] | None = None
    deaths: int = 0
    wait: float = _FIRST_WAIT  # seconds before the next restart
    _began: float = 0.0
    _due: float = field(default=0.0)

    @property
    def log(self) -> Path:
        """Where its output goes."""
        return paths.log_folder() / f"{self.name}.log"

    def start(self) -> None:
        """Start it now; its output is appended to the log."""
        self.log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=paths.home(),
                env=environment() | self.env,
                start_new_session=True,
            )
        self._began = time.monotonic()

    def tend(self) -> bool:
        """Start it anew when it died and its waiting time is over; true when it did."""
        if self.process and self.process.poll() is not None:
            steady = time.monotonic() - self._began > _STEADY
            self.deaths = 1 if steady else self.deaths + 1
            self.wait = _FIRST_WAIT if steady else min(self.wait * 2, _LONGEST_WAIT)
            self._due = time.monotonic() + self.wait
            self.process = None
        if self.process or time.monotonic() < self._due:
            return False
        self.start()
        return True

    def identity(self) -> dict[str, Any]:
        """Name, number and start of the running process, and how often it died lately."""
        named = {"name": self.name, "deaths": self.deaths}
        return named | (identity(self.process.pid) if self.process else {})

    def rotate(self) -> None:
        """Keep the log short; the child goes on writing into the same, emptied file."""
        if not self.log.exists() or self.log.stat().st_size < LOG_BYTES:
            return
        for number in range(LOGS_KEPT, 1, -1):
            older = self.log.with_name(f"{self.log.name}.{number - 1}")
            if older.exists():
                older.replace(self.log.with_name(f"{self.log.name}.{number}"))
        shutil.copyfile(self.log, self.log.with_name(f"{self.log.name}.1"))
        os.truncate(self.log, 0)


def children(settings: Settings) -> list[Child]:
    """Everything that `wellkept up` keeps alive, in the order of their start."""
    kept = [Child("server", [*PROGRAM, "serve"], probe_server)]
    if not settings.routines:
        return kept
    env = orchestrator.environment(settings)
    if not settings.prefect_url:
        probe = partial(_probe_orchestrator, settings)
        kept.append(Child("orchestrator", orchestrator.command(settings), probe, env))
    serve = [sys.executable, "-I", "-m", "deployments.serve"]
    return [*kept, Child("routines", serve, partial(_probe_routines, settings), env)]


def environment() -> dict[str, str]:
    """The caller's, with paths that hold in any working folder and without the guard of hooks."""
    own = {name: value for name, value in os.environ.items() if name != protocol.GUARD}
    for name in (paths.HOME_VARIABLE, "WELLKEPT_VAULT"):
        if own.get(name):
            own[name] = str(Path(own[name]).expanduser().absolute())
    return own


def probe_server() -> State:
    """Ask the warm server how it is."""
    try:
        health = Client(2.0).call(protocol.HEALTH)
    except ServerUnavailable:
        return State(False, "memory server: starting")
    reason = str(health.get("reason") or "")
    if health.get("status") == "failed":
        return State(False, f"memory server: {reason}", failed=True)
    if health.get("status") != "ready":
        return State(False, f"memory server: {reason}")
    notes = health.get("notes", 0)
    if health.get("building"):
        return State(False, "memory server: indexing" + (f" {notes} notes" if notes else ""))
    if measuring := health.get("measuring"):
        return State(False, f"memory server: {measuring}")
    return State(True, f"memory server: ready, {notes} notes" + (f" ({reason})" if reason else ""))


def _probe_orchestrator(settings: Settings) -> State:
    if orchestrator.answers(settings):
        return State(True, "prefect: ready")
    return State(False, "prefect: starting")


def _probe_routines(settings: Settings) -> State:
    if ProcessLock(paths.home() / ROUTINES_LOCK).held():
        return State(True, f"routines: ready, {orchestrator.ui_url(settings)}")
    return State(False, "routines: starting")
