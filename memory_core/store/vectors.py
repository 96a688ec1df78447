"""Vectors by content hash and model in `cache.sqlite`; derived, so losing them costs time.

Half precision: a vector read back equals the one that was handed out when it was made.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from memory_core.store.cache import Cache

Vector = npt.NDArray[np.float16]

_SCHEMA = """CREATE TABLE IF NOT EXISTS vector (
    model TEXT NOT NULL, hash BLOB NOT NULL, vector BLOB NOT NULL,
    PRIMARY KEY (model, hash)) WITHOUT ROWID"""
_BATCH = 400


def content_hash(text: str) -> bytes:
    """SHA-256 of the text's UTF-8 form."""
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()


class Vectors(Protocol):
    """Where vectors are kept; `shared` = others may add to it at any time."""

    @property
    def shared(self) -> bool: ...

    def get(self, hashes: Sequence[bytes]) -> dict[bytes, Vector]:
        """The vectors that are there, by hash."""
        ...

    def put(self, items: Iterable[tuple[bytes, Vector]]) -> None:
        """Keep vectors by hash."""
        ...


class VectorCache:
    """One model's vectors, each of `width` half-precision numbers.

    A failure to read or write is a miss; a damaged file is begun anew.
    """

    shared = False

    def __init__(self, file: Path, model: str, width: int) -> None:
        self._model, self._width = model, width
        self._cache = Cache(_SCHEMA, file)

    def get(self, hashes: Sequence[bytes]) -> dict[bytes, Vector]:
        """The vectors that are there, by hash."""
        found: dict[bytes, Vector] = {}
        for at in range(0, len(hashes), _BATCH):
            some = hashes[at : at + _BATCH]
            marks = ",".join("?" * len(some))
            query = f"SELECT hash, vector FROM vector WHERE model = ? AND hash IN ({marks})"
            rows = self._cache.rows(query, (self._model, *some))
            found.update((key, np.frombuffer(stored, np.float16)) for key, stored in rows)
        return {key: vector for key, vector in found.items() if vector.shape == (self._width,)}

    def put(self, items: Iterable[tuple[bytes, Vector]]) -> None:
        """Keep vectors by hash."""
        rows = [(self._model, key, vector.tobytes()) for key, vector in items]
        self._cache.write("INSERT OR REPLACE INTO vector VALUES (?, ?, ?)", rows)

    def close(self) -> None:
        """Release the file."""
        self._cache.close()
