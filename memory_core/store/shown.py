"""Which notes a session was shown, so that none comes twice in full."""

from __future__ import annotations

import time
from collections.abc import Iterable

from memory_core.store.cache import Cache

KEPT_DAYS = 30
_SCHEMA = """
CREATE TABLE IF NOT EXISTS shown (
    session TEXT NOT NULL, source TEXT NOT NULL, content TEXT NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (session, source)
);
"""


class Shown:
    """Rows of session, source and the hash of the content that was shown."""

    def __init__(self, cache: Cache | None = None) -> None:
        self.cache = cache or Cache(_SCHEMA)
        self.cache.write("DELETE FROM shown WHERE at < ?", [(time.time() - KEPT_DAYS * 86_400,)])

    def of(self, session: str) -> dict[str, str]:
        """Source -> content hash of everything the session was shown."""
        rows = self.cache.rows("SELECT source, content FROM shown WHERE session = ?", (session,))
        return dict(rows)

    def add(self, session: str, contents: Iterable[tuple[str, str]]) -> None:
        """Record `(source, content hash)` pairs as shown."""
        now = time.time()
        self.cache.write(
            "INSERT OR REPLACE INTO shown VALUES (?, ?, ?, ?)",
            [(session, source, content, now) for source, content in contents],
        )

    def counts(self) -> dict[str, int]:
        """Source -> how many sessions of the last `KEPT_DAYS` days were shown it."""
        return dict(self.cache.rows("SELECT source, count(*) FROM shown GROUP BY source"))

    def forget(self, session: str) -> None:
        """The session's context was cleared or compacted: what it saw is gone."""
        self.cache.write("DELETE FROM shown WHERE session = ?", [(session,)])

    def close(self) -> None:
        """Release the file."""
        self.cache.close()
