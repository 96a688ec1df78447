"""Vectors by content hash and model in `cache.sqlite`; derived, so a broken file is replaced.

Half precision: a vector read back equals the one that was handed out when it was made.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float16]

_SCHEMA = """CREATE TABLE IF NOT EXISTS vector (
    model TEXT NOT NULL, hash BLOB NOT NULL, vector BLOB NOT NULL,
    PRIMARY KEY (model, hash)) WITHOUT ROWID"""
_BATCH = 400


def content_hash(text: str) -> bytes:
    """SHA-256 of the text's UTF-8 form."""
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()


class VectorCache:
    """One model's vectors, each of `width` half-precision numbers.

    Losing the file costs time only: every failure to read or write it is treated as a
    miss, and a file that is no database is moved aside.
    """

    def __init__(self, file: Path, model: str, width: int) -> None:
        self._model, self._width, self._lock = model, width, threading.Lock()
        self._file = file
        self._connection = self._open()

    def get(self, hashes: Sequence[bytes]) -> dict[bytes, Vector]:
        """The vectors that are there, by hash."""
        found: dict[bytes, Vector] = {}
        with self._lock, contextlib.suppress(sqlite3.Error):
            for at in range(0, len(hashes), _BATCH):
                some = hashes[at : at + _BATCH]
                marks = ",".join("?" * len(some))
                rows = self._connection.execute(
                    f"SELECT hash, vector FROM vector WHERE model = ? AND hash IN ({marks})",
                    (self._model, *some),
                )
                found.update((row[0], np.frombuffer(row[1], np.float16)) for row in rows)
        return {key: vector for key, vector in found.items() if vector.shape == (self._width,)}

    def put(self, items: Iterable[tuple[bytes, Vector]]) -> None:
        """Keep vectors by hash."""
        rows = [(self._model, key, vector.tobytes()) for key, vector in items]
        with self._lock, contextlib.suppress(sqlite3.Error), self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?, ?)", rows)

    def close(self) -> None:
        """Release the file."""
        with self._lock:
            self._connection.close()

    def _open(self) -> sqlite3.Connection:
        try:
            return self._connect(str(self._file))
        except sqlite3.DatabaseError:
            with contextlib.suppress(OSError):
                self._file.replace(self._file.with_suffix(".broken"))
            try:
                return self._connect(str(self._file))
            except sqlite3.Error:
                return self._connect(":memory:")

    def _connect(self, target: str) -> sqlite3.Connection:
        connection = sqlite3.connect(target, timeout=5, check_same_thread=False)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(_SCHEMA)
        connection.execute("SELECT 1 FROM vector LIMIT 1").fetchone()
        return connection
