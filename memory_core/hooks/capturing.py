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

from memory_core import paths

COMMAND = ("-I", "-m", "memory_core.record")


def lock_file() -> str:
    """What the process at work holds a lock on."""
    return os.path.join(os.fspath(paths.home()), "record.lock")


def start() -> bool:
    """Start it unless one is at work; whether it was started. Never raises for a full system."""
    try:
        if at_work():
            return False
        _spawn([sys.executable, *COMMAND])
    except OSError:
        return False
    return True


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


def _spawn(command: list[str]) -> None:
    """`setsid`, null device on the three streams, every other file closed."""
    for handle in _handles():
        with contextlib.suppress(OSError):
            os.set_inheritable(handle, False)
    null = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in (0, 1, 2)]
    try:
        os.posix_spawn(command[0], command, os.environ, file_actions=null, setsid=True)
    except NotImplementedError:
        import subprocess

        nowhere = subprocess.DEVNULL
        subprocess.Popen(
            command, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True
        )


def _handles() -> list[int]:
    for listing in ("/proc/self/fd", "/dev/fd"):
        with contextlib.suppress(OSError):
            return [int(name) for name in os.listdir(listing) if int(name) > 2]
    return list(range(3, 256))
