"""Logits of read pairs by content hash and model in `cache.sqlite`; losing them costs time.

A pair is a request and a passage; neither text is kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from memory_core.store.cache import Cache

Pair = tuple[str, str]
"""A request and a passage."""

_SCHEMA = """CREATE TABLE IF NOT EXISTS logit (
    model TEXT NOT NULL, hash BLOB NOT NULL, logit REAL NOT NULL,
    PRIMARY KEY (model, hash)) WITHOUT ROWID"""
_BATCH = 400


class LogitCache:
    """One model's logits. A failure to read or write is a miss."""

    def __init__(self, file: Path, model: str) -> None:
        self._model = model
        self._cache = Cache(_SCHEMA, file)

    def get(self, pairs: Sequence[Pair]) -> dict[Pair, float]:
        """The logits that are there."""
        found: dict[Pair, float] = {}
        for at in range(0, len(pairs), _BATCH):
            by_hash = {_hash(pair): pair for pair in pairs[at : at + _BATCH]}
            marks = ",".join("?" * len(by_hash))
            query = f"SELECT hash, logit FROM logit WHERE model = ? AND hash IN ({marks})"
            rows = self._cache.rows(query, (self._model, *by_hash))
            found.update((by_hash[key], logit) for key, logit in rows)
        return found

    def put(self, read: Iterable[tuple[Pair, float]]) -> None:
        """Keep the logits of pairs."""
        rows = [(self._model, _hash(pair), logit) for pair, logit in read]
        self._cache.write("INSERT OR REPLACE INTO logit VALUES (?, ?, ?)", rows)

    def close(self) -> None:
        """Release the file."""
        self._cache.close()


def _hash(pair: Pair) -> bytes:
    """SHA-256 of both texts; the length of the first tells where it ends."""
    request, passage = (text.encode("utf-8", "replace") for text in pair)
    return hashlib.sha256(b"%d:" % len(request) + request + passage).digest()
