"""The capture process: `python -m memory_core.record`, started by a hook and gone when done.

It gives way to everything else on the machine, prints nothing, and logs only what went
wrong: kinds of errors and names of files, never a word of a session.
"""

from __future__ import annotations

import contextlib
import os
import sys
from datetime import UTC, datetime

from memory_core import paths
from memory_core.hooks import spool

LOG = "record.log"
_LOG_BYTES = 200_000
_RUNS = 20


def main() -> int:
    """Store what waits, and what comes while it stores; returns the exit code."""
    with contextlib.suppress(OSError):
        os.umask(0o077)
        os.nice(10)
        os.chdir(os.fspath(paths.home()))
    for _ in range(_RUNS):
        before = spool.names()
        try:
            if not _run():
                return 0
        except Exception as error:
            _log([_line(error)])
            return 1
        if not (left := spool.names()) or left == before:
            return 0
    return 0


def _run() -> bool:
    """One run under the lock; False when another process has it."""
    from memory_core.errors import Conflict
    from memory_core.record import capture

    held = capture.lock()
    try:
        held.acquire("the capture process")
    except Conflict:
        return False
    try:
        from memory_core import settings
        from memory_core.store.database import Database

        chosen = settings.load()
        database = Database(chosen.resolved_database_url)
        try:
            done = capture.drain(database, chosen.user, keep_days=chosen.record_days)
        finally:
            database.close()
        _log(done.problems)
    finally:
        held.release()
    return True


def _line(error: Exception) -> str:
    from memory_core.errors import WellkeptError
    from memory_core.record.redact import redacted

    if isinstance(error, WellkeptError):
        return redacted(str(error))
    return f"{type(error).__name__}: nothing was stored, it is tried again"


def _log(lines: list[str]) -> None:
    if not lines:
        return
    file = paths.log_folder() / LOG
    with contextlib.suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if file.exists() and file.stat().st_size > _LOG_BYTES:
            file.replace(file.with_name(f"{LOG}.1"))
        moment = datetime.now(UTC).isoformat(timespec="seconds")
        with file.open("a", encoding="utf-8") as log:
            log.writelines(f"{moment} {line}\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
