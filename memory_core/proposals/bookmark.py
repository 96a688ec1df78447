"""Bookmarks: how far a routine has read a subject; they move by compare-and-swap.

A window names what a run read: `since` (exclusive) up to `until`. It moves the bookmark
to `until` when it covers everything behind the bookmark; otherwise the run is stale.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlmodel import Session

from memory_core.store.database import Database
from memory_core.store.tables import BookmarkRow, now


def position(database: Database, routine: str, subject: str) -> int:
    """How far the routine has read the subject; 0 = nothing yet."""
    with database.read() as session:
        row = session.get(BookmarkRow, (routine, subject))
        return row.position if row else 0


def move(session: Session, routine: str, subject: str, window: Mapping[str, Any]) -> bool:
    """Move to the window's end inside the caller's transaction; False = the run is stale.

    A bookmark that stands at the end already was moved by an earlier attempt. One that
    stands within the window moves: nothing unread is passed over. A bookmark before the
    window or behind it belongs to another run's reading, and stays.
    """
    if "until" not in window:
        return True
    until = int(window["until"])
    since = int(window.get("since", 0))
    row = session.get(BookmarkRow, (routine, subject), with_for_update=True)
    if row is None:
        row = BookmarkRow(routine=routine, subject=subject, position=since, moved_at=now())
    if not since <= row.position <= until:
        return False
    if row.position != until:
        row.position, row.moved_at = until, now()
    session.add(row)
    session.flush()
    return True
