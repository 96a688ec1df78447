"""One process at a time writes to the vault; the lock goes with the process that held it."""

from __future__ import annotations

import contextlib
import fcntl
import time
from collections.abc import Iterator

from memory_core import paths
from memory_core.errors import DatabaseBusy

SECONDS = 60.0
_PAUSE = 0.05


@contextlib.contextmanager
def one_writer(seconds: float = SECONDS) -> Iterator[None]:
    """Hold the lock. Raises `DatabaseBusy` when another process keeps it so long."""
    with (paths.ensure_home() / "vault.lock").open("w") as file:
        until = time.monotonic() + seconds
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise DatabaseBusy(
                        f"another process has been writing to the vault for {seconds:.0f} s",
                        remedy="try again",
                    ) from None
                time.sleep(_PAUSE)
        yield
