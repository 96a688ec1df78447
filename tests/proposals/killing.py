"""Run an apply in a process of its own that is killed at its n-th step.

A step is whatever changes the world: a file opened for writing, renamed or removed, a
folder made, a process started, a statement of the database.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests import stores

_STEPS = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "subprocess.Popen", "fcntl.flock"}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT

server = multiprocessing.get_context("forkserver")
server.set_forkserver_preload(
    [
        "memory_core.proposals.undo",
        "memory_core.proposals.apply",
        "alembic.command",
        "alembic.config",
    ]
)


def run(home: Path, root: Path, number: int, kill_at: int = 0, what: str = "apply") -> int | None:
    """Apply proposal `number`, undo entry `number`, or drain, in a new process.

    Returns its exit code.
    """
    process = server.Process(target=_child, args=_told(home, root, number, kill_at, what))
    process.start()
    process.join(60)
    assert process.exitcode is not None
    return process.exitcode


def start(home: Path, root: Path, number: int) -> Any:
    """Begin to apply in a new process."""
    process = server.Process(target=_child, args=_told(home, root, number, 0, "apply"))
    process.start()
    return process


def steps(home: Path) -> int:
    """How many steps the last run that was not killed took."""
    return int((home / "steps").read_text())


def _told(home: Path, root: Path, number: int, kill_at: int, what: str) -> tuple[Any, ...]:
    return str(home), stores.of(home), str(root), number, kill_at, what


def _child(home: str, url: str, root: str, number: int, kill_at: int, what: str) -> None:
    os.environ["WELLKEPT_HOME"] = home
    os.environ["WELLKEPT_DATABASE_URL"] = url
    os.environ["GIT_CONFIG_GLOBAL"] = os.environ["GIT_CONFIG_SYSTEM"] = "/dev/null"
    from memory_core.banks.writer import By
    from memory_core.proposals import apply, undo
    from memory_core.settings import Settings
    from memory_core.store.database import Database

    settings = Settings(vault=Path(root), user="ada")
    database = Database(settings.resolved_database_url)
    count = [0]
    _watch(database, lambda: _step(count, kill_at))
    if what == "drain":
        apply.drain(database, Path(root), settings)
    elif what == "undo":
        undo.undo(database, Path(root), settings, number, By("user"))
    else:
        apply.apply(database, Path(root), settings, number)
    taken, kill_at = count[0], 0
    (Path(home) / "steps").write_text(str(taken))
    os._exit(0)


def _step(count: list[int], kill_at: int) -> None:
    count[0] += 1
    if count[0] == kill_at:
        os.kill(os.getpid(), signal.SIGKILL)


def _watch(database: Any, step: Callable[[], None]) -> None:
    from sqlalchemy import event

    def hook(name: str, arguments: tuple[Any, ...]) -> None:
        writes = name == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITES
        if name in _STEPS or writes:
            step()

    def commit(_connection: Any) -> None:
        step()

    def statement(_connection: Any, _cursor: Any, text: str, *_: Any) -> None:
        if not text.lstrip().startswith(("SELECT", "BEGIN")):
            step()

    sys.addaudithook(hook)
    event.listen(database.engine, "before_cursor_execute", statement)
    event.listen(database.engine, "commit", commit)
