"""`cache.sqlite`: derived rows that may be lost at any time, each kind in a table of its own.

A damaged file is moved aside and a new one begun, at opening and in mid-use; callers
then find their table empty and fill it again. Safe to share between threads.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from memory_core import paths

BUSY_SECONDS = 2.0
_SIDE_FILES = ("", "-wal", "-shm")


class Cache:
    """The cache file with the tables that `schema` creates (`CREATE TABLE IF NOT EXISTS ...`).

    `rebuilt` names the damaged file that was moved aside, if there was one.
    """

    def __init__(self, schema: str, file: Path | None = None) -> None:
        self.schema = schema
        self.file = file or paths.cache_file()
        self.rebuilt: Path | None = None
        self._lock = threading.RLock()
        with self._lock:
            self._connection = self._open_or_begin_anew()

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """Every row of a query, as tuples; none after the file had to be begun anew."""
        found: list[Any] = self._guarded(
            lambda: self._connection.execute(statement, values).fetchall(), []
        )
        return found

    def write(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement once for each row, in one transaction."""
        values = [tuple(row) for row in rows]

        def run() -> None:
            with self._connection:
                self._connection.executemany(statement, values)

        self._guarded(run, None)

    def close(self) -> None:
        """Release the file."""
        with self._lock:
            self._connection.close()

    def _guarded(self, run: Any, empty: Any) -> Any:
        with self._lock:
            try:
                return run()
            except sqlite3.OperationalError as error:
                if "locked" in str(error) or "full" in str(error):
                    return empty  # a cache that cannot be reached just now is a miss
                self._begin_anew()
            except sqlite3.DatabaseError:
                self._begin_anew()
            return empty

    def _open_or_begin_anew(self) -> sqlite3.Connection:
        self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            return self._open()
        except sqlite3.DatabaseError:
            self._move_aside()
            return self._open()

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.file, timeout=BUSY_SECONDS, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=OFF")
            if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                raise sqlite3.DatabaseError("damaged")
            connection.executescript(self.schema)
        except BaseException:
            connection.close()
            raise
        return connection

    def _begin_anew(self) -> None:
        self._connection.close()
        self._move_aside()
        self._connection = self._open()

    def _move_aside(self) -> None:
        self.rebuilt = self.file.with_name(f"{self.file.name}.damaged-{time.time_ns()}")
        for suffix in _SIDE_FILES:
            part = self.file.with_name(self.file.name + suffix)
            if part.exists():
                part.replace(self.rebuilt.with_name(self.rebuilt.name + suffix))
