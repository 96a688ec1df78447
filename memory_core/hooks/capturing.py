"""Starts the process that stores what the hooks left; standard library only.

It outlives the client: a session of its own, no inherited file, nothing to wait for. At
most one is at work, by a lock that dies with it; whoever finds the lock taken starts
nothing, because the process at work looks for new files after it gave the lock back.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sys
import time

from memory_core import paths
from memory_core.hooks import spool

COMMAND = ("-I", "-m", "memory_core.record")
SOON_S, ANYWAY_S = 60.0, 600.0


def lock_file() -> str:
    """What the process at work holds a lock on."""
    return os.path.join(os.fspath(paths.home()), "record.lock")


def start() -> int:
    """Start it unless one is at work; its process, or 0. Never raises for a full system."""
    try:
        return 0 if at_work() else _spawn([sys.executable, *COMMAND])
    except OSError:
        return 0


class Tending:
    """Starts it from a process that lives long: soon when something waits, else now and then.

    What waits although no hook runs any more is found so, and sessions are ended that
    have been idle for long.
    """

    def __init__(self) -> None:
        self._process = 0
        self._soon = self._anyway = time.monotonic()

    def tend(self) -> None:
        """Call it as often as you like; it costs nothing until a minute has passed."""
        moment = time.monotonic()
        if moment < self._soon:
            return
        self._reap()
        self._soon = moment + SOON_S
        if moment >= self._anyway or spool.names():
            self._anyway = moment + ANYWAY_S
            self._process = self._process or start()

    def _reap(self) -> None:
        """Let an ended one go."""
        with contextlib.suppress(ChildProcessError):
            if self._process and os.waitpid(self._process, os.WNOHANG)[0]:
                self._process = 0
            return
        self._process = 0


def at_work() -> bool:
    """Whether a process holds the lock now; raises `OSError` where no lock can be kept."""
    handle = os.open(lock_file(), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def _spawn(command: list[str]) -> int:
    """Its process; `setsid`, null device on the three streams, every other file closed."""
    for handle in _handles():
        with contextlib.suppress(OSError):
            os.set_inheritable(handle, False)
    null = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in (0, 1, 2)]
    try:
        return os.posix_spawn(command[0], command, os.environ, file_actions=null, setsid=True)
    except NotImplementedError:
        import subprocess

        none = subprocess.DEVNULL
        return subprocess.Popen(
            command, stdin=none, stdout=none, stderr=none, start_new_session=True
        ).pid


def _handles() -> list[int]:
    for listing in ("/proc/self/fd", "/dev/fd"):
        with contextlib.suppress(OSError):
            return [int(name) for name in os.listdir(listing) if int(name) > 2]
    return list(range(3, 256))
