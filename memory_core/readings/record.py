"""How much was recorded, and whether events of the hooks wait to be stored."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Any

from memory_core.hooks import spool
from memory_core.record.sessions import size
from memory_core.store.database import Database


def told(database: Database) -> dict[str, Any]:
    """`{sessions, exchanges, characters, waiting, oldest_s}`: events that wait, the first's age."""
    names = spool.names()
    return asdict(size(database)) | {"waiting": len(names), "oldest_s": _age(names)}


def _age(names: list[str]) -> float:
    """Seconds since the first event was left; its file is named after the moment."""
    try:
        return max(0.0, round(time.time() - int(names[0].partition("-")[0]) / 1e9, 1))
    except (ValueError, IndexError):
        return 0.0
