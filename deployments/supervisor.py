"""Keeps the background processes alive: what `wellkept up` runs and `wellkept down` ends.

One supervisor a state folder, by a lock that dies with it. `supervisor.json` names the
processes it started with their start times, so that a later `up` or `down` finds those
whose supervisor was killed, and never ends a stranger that got an old number.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from deployments import orchestrator
from deployments.children import PROGRAM, Child, children, environment
from memory_core import paths, settings
from memory_core.errors import Permanent, SettingsError, WellkeptError
from memory_core.hooks import capturing
from memory_core.server import protocol
from memory_core.server.client import Client
from memory_core.server.lock import ProcessLock, is_alive
from memory_core.server.serve import LOCK as SERVER_LOCK

Tell = Callable[[str], None]
_TICK = 0.2
_HOPELESS = 3  # deaths in a row after which `up` waits no longer
_PATIENCE = 8.0  # seconds a process has to end in good order


def lock() -> ProcessLock:
    """The lock that the living supervisor holds."""
    return ProcessLock(paths.home() / "supervisor.lock")


def run(tell: Tell) -> None:
    """Start every child and keep it alive until SIGTERM or SIGINT; a line when all are ready.

    A panel that does not hold costs the routines, never recall. Raises `Conflict` when a
    supervisor runs already.
    """
    chosen = settings.load()  # a wrong setting is shown here and not in a log
    try:
        _check_panel(chosen)
    except SettingsError as error:
        tell(f"routines: not started: {error}")
        chosen = chosen.model_copy(update={"routines": False})
    paths.ensure_home()
    held = lock()
    held.acquire("wellkept up")
    try:
        _end_all(_recorded())
        if chosen.routines and not chosen.prefect_url:
            orchestrator.prepare(chosen)
        Supervisor(children(chosen), tell).run()
    finally:
        _state_file().unlink(missing_ok=True)
        held.release()


def run_detached(tell: Tell, wait_s: float = 300.0) -> None:
    """Leave a supervisor in the background and return when all children are ready.

    Harmless when one runs already. Raises `Permanent` when it does not come up, and
    `SettingsError` before anything is started.
    """
    wanted = settings.load()
    _check_panel(wanted)
    paths.ensure_home()
    log = paths.log_folder() / "supervisor.log"
    log.parent.mkdir(mode=0o700, exist_ok=True)
    started = None
    if lock().held() and not _serves_another(str(wanted.vault or "")):
        tell("wellkept is running already")
    else:
        if lock().held():
            tell(f"starting again with {wanted.vault}")
            stop(lambda _: None)
        with log.open("wb") as output:
            started = subprocess.Popen(
                [*PROGRAM, "up"],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=paths.home(),
                env=environment(),
                start_new_session=True,
            )
    _await_ready(children(wanted), started, log, tell, wait_s)


def _check_panel(chosen: settings.Settings) -> None:
    from memory_core import llm

    if chosen.routines:
        llm.panel(chosen)


def _serves_another(vault: str) -> bool:
    """Whether the running server answers, and for another vault than the settings name."""
    with contextlib.suppress(WellkeptError):
        return bool(Client(2.0).call(protocol.HEALTH)["vault"] != vault)
    return False


def stop(tell: Tell) -> bool:
    """End the supervisor and its children, also those whose supervisor was killed.

    Returns whether anything ran. Raises `Permanent` when something does not end.
    """
    recorded = _recorded()
    ended = _end_all([lock().holder()], 4 * _PATIENCE)  # first, so that it restarts nothing
    ended = _end_all([*recorded, _server_lock().holder()]) or ended
    for what in (lock(), _server_lock()):
        if what.held():
            raise Permanent(f"{what.file} is still held", remedy="see the logs folder")
    _state_file().unlink(missing_ok=True)
    tell("stopped" if ended else "nothing was running")
    return ended


class Supervisor:
    """The loop around the children."""

    def __init__(self, kept: list[Child], tell: Tell) -> None:
        self._children, self._tell = kept, tell
        self._capturing = capturing.Tending()
        self._ending = threading.Event()

    def run(self) -> None:
        """Start, watch and restart until a signal asks to end; then end the children."""
        with _signals(self._ending):
            announced: set[str] = set()
            while not self._ending.is_set():
                started = [child for child in self._children if child.tend()]
                for child in started:
                    if child.deaths:
                        self._tell(f"{child.name}: died, started again")
                        announced.discard(child.name)
                if started:
                    self._record()
                self._announce(announced)
                for child in self._children:
                    child.rotate()
                self._capturing.tend()
                self._ending.wait(_TICK)
        for child in reversed(self._children):  # a later one talks to those before it
            _end_all([child.identity()] if child.process else [])

    def _announce(self, announced: set[str]) -> None:
        """Say once that a child is ready, or that it cannot work."""
        for child in self._children:
            if child.name in announced:
                continue
            state = child.probe()
            if state.ready or state.failed:
                announced.add(child.name)
                self._tell(state.line)

    def _record(self) -> None:
        rows = [child.identity() for child in self._children if child.process]
        temporary = _state_file().with_suffix(".tmp")
        temporary.write_text(json.dumps(rows), "utf-8")
        temporary.replace(_state_file())


def _await_ready(
    waiting: list[Child],
    started: subprocess.Popen[bytes] | None,
    log: Path,
    tell: Tell,
    wait_s: float,
) -> None:
    until, said = time.monotonic() + wait_s, ""
    while waiting and time.monotonic() < until:
        if started and started.poll() is not None and not lock().held():
            raise Permanent(f"wellkept up ended at once: {_last_line(log)}", remedy=f"see {log}")
        state = waiting[0].probe()
        if state.line != said:
            said, until = state.line, time.monotonic() + wait_s
            tell(said)
        if dying := [row["name"] for row in _recorded() if row.get("deaths", 0) >= _HOPELESS]:
            log = paths.log_folder() / f"{dying[0]}.log"
            raise Permanent(f"{dying[0]} dies at once: {_last_line(log)}", remedy=f"see {log}")
        if state.failed:
            raise Permanent(state.line, remedy=f"see {waiting[0].log}")
        if state.ready:
            waiting.pop(0)
        else:
            time.sleep(_TICK)
    if waiting:
        name, tail = waiting[0].name, _last_line(waiting[0].log)
        raise Permanent(
            f"{name} does not come up, no news for {wait_s:g} s: {tail}", remedy=f"see {log}"
        )


def _last_line(file: Path) -> str:
    with contextlib.suppress(OSError):
        lines = file.read_text("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else "no output"
    return "no log"


def _end_all(named: list[dict[str, Any]], patience_s: float = _PATIENCE) -> bool:
    """End the processes that are still the ones named, politely and then not."""
    alive = [one for one in named if _is_alive(one)]
    for number in (signal.SIGTERM, signal.SIGKILL):
        for one in filter(_is_alive, alive):
            with contextlib.suppress(ProcessLookupError):
                os.kill(one["pid"], number)
        until = time.monotonic() + patience_s
        while any(map(_is_alive, alive)) and time.monotonic() < until:
            time.sleep(0.05)
    return bool(alive)


def _is_alive(named: dict[str, Any]) -> bool:
    return is_alive({key: named.get(key) for key in ("pid", "started")})


def _recorded() -> list[dict[str, Any]]:
    try:
        rows = json.loads(_state_file().read_text("utf-8"))
    except (OSError, ValueError):
        return []
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _state_file() -> Path:
    return paths.home() / "supervisor.json"


def _server_lock() -> ProcessLock:
    return ProcessLock(paths.home() / SERVER_LOCK)


@contextlib.contextmanager
def _signals(ending: threading.Event) -> Iterator[None]:
    def end(_number: int, _frame: FrameType | None) -> None:
        ending.set()

    before = {n: signal.signal(n, end) for n in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
