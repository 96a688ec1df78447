"""One process at a time writes to the vault; the lock goes with the process that held it.

With a database that several hosts share, one process of all of them.

The lock's file is a journal of what the holder put beside the notes: the next holder
takes away what a killed one left.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from memory_core import paths
from memory_core.errors import DatabaseBusy
from memory_core.store.database import Database

SECONDS = 60.0
_PAUSE = 0.05


class Journal:
    """Files and folders that must go again unless their change is finished."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def note(self, path: Path) -> None:
        """Write down a path before it is made."""
        os.write(self._descriptor, os.fsencode(path) + b"\0")

    def close(self) -> None:
        """Everything that was noted is where it belongs."""
        os.ftruncate(self._descriptor, 0)

    def sweep(self) -> None:
        """Remove what is noted: files, and folders that are empty."""
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        with os.fdopen(os.dup(self._descriptor), "rb") as file:
            noted = file.read().split(b"\0")[:-1]
        for name in reversed(noted):
            path = Path(os.fsdecode(name))
            with contextlib.suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()
        self.close()


@contextlib.contextmanager
def one_writer(database: Database | None = None, seconds: float = SECONDS) -> Iterator[Journal]:
    """Hold the lock. Raises `DatabaseBusy` when another process keeps it so long."""
    elsewhere = database.alone("vault", seconds) if database else contextlib.nullcontext()
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
    descriptor = os.open(paths.ensure_home() / "vault.lock", flags, 0o600)
    try:
        _acquire(descriptor, seconds)
        with elsewhere:
            journal = Journal(descriptor)
            journal.sweep()
            yield journal
            journal.close()
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, seconds: float) -> None:
    until = time.monotonic() + seconds
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                raise DatabaseBusy(
                    f"another process has been writing to the vault for {seconds:.0f} s",
                    remedy="try again",
                ) from None
            time.sleep(_PAUSE)
