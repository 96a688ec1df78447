"""What a dream reads: everything recorded of a user since the bookmark, up to a frozen end.

Sessions come one after another, each in its own order, so that little of a long window
is held at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sqlmodel import Session, col, func, select

from memory_core.record import archive
from memory_core.record.exchange import Exchange
from memory_core.store.database import Database
from memory_core.store.tables import ExchangeRow, SessionRow

ROUTINE = "dream"


def subject(root: Path, user: str) -> str:
    """The vault, and whose record is read for it: what the bookmark belongs to."""
    return f"{root.resolve()} ({user})"


def end(session: Session, user: str, since: int, limit: int = 0) -> int:
    """The sequence number up to which is read: the last one, or that of the `limit`-th exchange.

    `since` where nothing is new.
    """
    query = _unread(select(ExchangeRow.sequence), user, since)
    if limit:
        first = query.order_by(col(ExchangeRow.sequence)).limit(limit).subquery()
        return session.exec(select(func.max(first.c.sequence))).one() or since
    last = _unread(select(func.max(ExchangeRow.sequence)), user, since)
    return session.exec(last).one() or since


def read(database: Database, window: Mapping[str, Any]) -> Iterator[Exchange]:
    """The exchanges of a stored window, session by session in the order of their first one."""
    since, until = int(window["since"]), int(window["until"])
    first = func.min(ExchangeRow.sequence)
    query = _unread(select(ExchangeRow.session), str(window["user"]), since)
    query = query.where(col(ExchangeRow.sequence) <= until)
    with database.read() as held:
        names = held.exec(query.group_by(ExchangeRow.session).order_by(first)).all()
    for name in names:
        with database.read() as held:
            found = archive.exchanges(held, of=name, since=since)
        yield from (exchange for exchange in found if exchange.sequence <= until)


def _unread(query: Any, user: str, since: int) -> Any:
    return (
        query.join(SessionRow, col(SessionRow.id) == col(ExchangeRow.session))
        .where(SessionRow.user == user, ~col(ExchangeRow.forgotten))
        .where(col(ExchangeRow.sequence) > since)
    )
