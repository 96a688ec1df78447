"""What one wrap reads: a session's exchanges between its bookmark and its end, frozen once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, col, func, select

from memory_core.record import archive, capture, sessions
from memory_core.record.exchange import Exchange
from memory_core.store import outbox
from memory_core.store.database import Database
from memory_core.store.tables import BookmarkRow, ExchangeRow, OutboxRow, ProposalRow

ROUTINE = "wrap"


Request = tuple[dict[str, Any], str]  # payload and key of what asked for a wrap


@dataclass(frozen=True, slots=True)
class Window:
    """Sequence numbers of the record: above `since`, up to and with `until`."""

    session: str
    user: str
    scope: str
    since: int
    until: int

    @property
    def run(self) -> str:
        """The name of the run that reads it; the same end means the same run."""
        return f"{ROUTINE}:{self.session}:{self.until}"

    def as_json(self) -> dict[str, Any]:
        """As it is stored with the proposal."""
        return {"session": self.session, "since": self.since, "until": self.until}


def of_session(database: Database, user: str, session: str, until: int = 0) -> Window:
    """Store what the session's hooks left, then take what nobody read yet.

    `until` 0 takes all. Raises `NotFound` for a session that was never recorded and
    `DatabaseBusy` while another process stores it.
    """
    capture.drain_session(database, user, session)
    with database.read() as held:
        row = sessions.named(held, session)
        mark = held.get(BookmarkRow, (ROUTINE, row.id))
        last = held.exec(
            select(func.max(ExchangeRow.sequence)).where(ExchangeRow.session == row.id)
        ).one()
        since = mark.position if mark else 0
        return Window(row.id, row.user, row.scope, since, max(since, until or last or 0))


def read(database: Database, window: dict[str, Any]) -> list[Exchange]:
    """The exchanges of a stored window, in their order."""
    with database.read() as held:
        found = archive.exchanges(held, of=window["session"], since=window["since"])
    return [exchange for exchange in found if exchange.sequence <= window["until"]]


def owed(database: Database) -> list[Request]:
    """Wraps that were asked for and begun, and left no proposal: their run died before it.

    The last request of each session counts, unless nothing is left to read.
    """
    with database.read() as held:
        asked = held.exec(
            select(OutboxRow)
            .where(OutboxRow.kind == outbox.WRAP, col(OutboxRow.done_at).is_not(None))
            .order_by(col(OutboxRow.at), col(OutboxRow.key))
        ).all()
        last = {row.payload["session"]: row for row in asked}
        return [(row.payload, row.key) for row in last.values() if _is_owed(held, row.payload)]


def _is_owed(held: Session, payload: dict[str, Any]) -> bool:
    name, until = payload["session"], payload["sequence"]
    mark = held.get(BookmarkRow, (ROUTINE, name))
    since = mark.position if mark else 0
    unread = select(ExchangeRow.id).where(
        ExchangeRow.session == name, ExchangeRow.sequence > since, ~col(ExchangeRow.forgotten)
    )
    if since >= until or held.exec(unread.limit(1)).first() is None:
        return False
    known = select(ProposalRow).where(ProposalRow.routine == ROUTINE, ProposalRow.subject == name)
    return all(row.window["until"] < until for row in held.exec(known))
