"""How the front hook's last calls went: milliseconds and outcome, nothing of what was asked.

Derived rows in `cache.sqlite`, at most `KEPT`; losing them costs the readings' past.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import astuple, dataclass
from pathlib import Path

from memory_core import paths
from memory_core.store.cache import Cache

KEPT = 5000
_SCHEMA = """
CREATE TABLE IF NOT EXISTS hook_call (
    number INTEGER PRIMARY KEY, at REAL NOT NULL, status TEXT NOT NULL, why TEXT NOT NULL,
    ms REAL NOT NULL
);
"""
_COLUMNS = "SELECT at, status, why, ms FROM hook_call ORDER BY number DESC LIMIT ?"


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the front hook.

    `at` is in seconds of the epoch. `status` is notes, nothing or unavailable; `why` is the
    kind of reason of the last. `ms` counts from the start of the hook's process to the
    server's answer.
    """

    at: float
    status: str
    why: str
    ms: float


class Calls:
    """The kept calls; safe to share between threads."""

    def __init__(self, cache: Cache | None = None) -> None:
        self.cache = cache or Cache(_SCHEMA)

    def last(self, limit: int) -> list[Call]:
        """The newest calls, oldest first."""
        return [Call(*row) for row in reversed(self.cache.rows(_COLUMNS, (limit,)))]

    def add(self, calls: Iterable[Call]) -> None:
        """Keep calls; the oldest beyond `KEPT` go."""
        self.cache.write(
            "INSERT INTO hook_call (at, status, why, ms) VALUES (?, ?, ?, ?)", map(astuple, calls)
        )
        self.cache.write(
            "DELETE FROM hook_call WHERE number <= (SELECT max(number) FROM hook_call) - ?",
            [(KEPT,)],
        )

    def close(self) -> None:
        """Release the file."""
        self.cache.close()


def peek(limit: int, file: Path | None = None) -> list[Call]:
    """The newest calls, oldest first, without making or repairing the file; none without one."""
    address = (file or paths.cache_file()).absolute().as_uri()
    try:
        with closing(sqlite3.connect(f"{address}?mode=ro", uri=True)) as opened:
            rows = opened.execute(_COLUMNS, (limit,)).fetchall()
    except sqlite3.Error:
        return []
    return [Call(*row) for row in reversed(rows)]
