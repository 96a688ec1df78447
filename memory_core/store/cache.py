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

BUSY_SECONDS = 0.2  # derived rows are not worth a longer wait
_SIDE_FILES = ("", "-wal", "-shm")


class _Damaged(sqlite3.DatabaseError):
    """SQLite opens the file and finds it inconsistent."""


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    named = getattr(error, "sqlite_errorname", "")
    return isinstance(error, _Damaged) or named.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB"))


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
            except sqlite3.DatabaseError as error:
                if _is_damage(error):
                    self._connection.close()
                    self._connection = self._open_or_begin_anew()
            return empty  # one that is merely locked or on a full disk is a miss

    def _open_or_begin_anew(self) -> sqlite3.Connection:
        """The file's connection; one in memory where no file can be had."""
        try:
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                return self._open(self.file)
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise
                self._move_aside()
                return self._open(self.file)
        except (OSError, sqlite3.Error):
            return self._open(":memory:")

    def _open(self, target: Path | str) -> sqlite3.Connection:
        connection = sqlite3.connect(target, timeout=BUSY_SECONDS, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=OFF")
            if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                raise _Damaged
            connection.executescript(self.schema)
        except BaseException:
            connection.close()
            raise
        return connection

    def _move_aside(self) -> None:
        self.rebuilt = self.file.with_name(f"{self.file.name}.damaged-{time.time_ns()}")
        for suffix in _SIDE_FILES:
            part = self.file.with_name(self.file.name + suffix)
            if part.exists():
                part.replace(self.rebuilt.with_name(self.rebuilt.name + suffix))
