"""Sessions: which there are, when they ended, how much they hold, and forgetting one.

Every end asks once for a wrap of what was recorded since the last one. Nothing is removed
unless a person asks, or set a number of days after which it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func
from sqlmodel import Session, col, select

from memory_core.errors import NotFound
from memory_core.store import ledger, outbox, quotes
from memory_core.store.database import Database
from memory_core.store.tables import ExchangeRow, SessionRow, TranscriptRow, now, utc

IDLE = timedelta(hours=6)
KIND = "record"


@dataclass(frozen=True, slots=True)
class Listed:
    """A session and what is recorded of it; `characters` as stored."""

    session: SessionRow
    exchanges: int
    characters: int
    redactions: int


@dataclass(frozen=True, slots=True)
class Size:
    """How much the record holds."""

    sessions: int
    exchanges: int
    characters: int


def size(database: Database) -> Size:
    """How much is recorded, without what was forgotten."""
    query = select(
        func.count(func.distinct(ExchangeRow.session)), func.count(), func.sum(ExchangeRow.size)
    ).where(~col(ExchangeRow.forgotten))
    with database.read() as session:
        held, exchanges, characters = session.execute(query).one()
    return Size(held, exchanges, int(characters or 0))


def listed(database: Database, *, scope: str | None = None, limit: int | None = 20) -> list[Listed]:
    """Sessions with something recorded, the latest first."""
    query = select(SessionRow).order_by(col(SessionRow.seen_at).desc(), col(SessionRow.id))
    if scope is not None:
        query = query.where(SessionRow.scope == scope)
    found = []
    with database.read() as session:
        for row in session.exec(query):
            counted = _counted(session, row)
            if counted.exchanges:
                found.append(counted)
            if limit is not None and len(found) >= limit:
                break
    return found


def named(session: Session, name: str) -> SessionRow:
    """The session of an id, or of the beginning of one.

    Raises `NotFound`, also when several begin so.
    """
    exact = session.get(SessionRow, name)
    if exact is not None:
        return exact
    begins = col(SessionRow.id).startswith(name, autoescape=True)
    found = session.exec(select(SessionRow).where(begins).limit(2)).all() if name else []
    if len(found) != 1:
        what = "several sessions begin with" if found else "nothing is recorded of session"
        raise NotFound(f"{what} {name!r}", remedy="see wellkept record sessions")
    return found[0]


def end(session: Session, name: str, reason: str) -> bool:
    """Note that a session ended and ask for a wrap of what is new; whether anything is."""
    held = session.get(SessionRow, name)
    if held is None:
        return False
    held.ended_at, held.reason = now(), reason[:100]
    session.add(held)
    return _ask_for_wrap(session, held)


def unended(database: Database) -> Sequence[SessionRow]:
    """Sessions without an end."""
    with database.read() as session:
        return session.exec(select(SessionRow).where(col(SessionRow.ended_at).is_(None))).all()


def end_idle(database: Database, moment: datetime | None = None) -> int:
    """End every session of which nothing was heard for six hours; how many.

    A session last heard of in the future, by a clock set back since, was heard of now.
    """
    moment, ended = moment or now(), 0
    quiet = [held.id for held in unended(database) if not _is_fresh(held, moment)]
    if not quiet:
        return 0
    with database.write() as session:
        for name in quiet:
            held = session.get(SessionRow, name)
            if held is None or held.ended_at is not None or _is_fresh(held, moment):
                continue
            if utc(held.seen_at) > moment:
                held.seen_at = moment
                session.add(held)
                continue
            ended += 1
            end(session, name, "idle")
    return ended


def forget(database: Database, name: str, *, actor: str, reason: str) -> tuple[int, int]:
    """Remove every word of a session for good; number of the ledger's row and of exchanges.

    Names of exchanges stay, so that neither their transcript nor a fork brings them back;
    what the session says from now on is recorded. Proposals lose its quotes, and what rests
    on them is not offered any more. Raises `NotFound`.
    """
    with database.write() as session:
        held = named(session, name)
        query = select(ExchangeRow).where(
            ExchangeRow.session == held.id, ~col(ExchangeRow.forgotten)
        )
        rows = session.exec(query).all()
        if not rows:
            raise NotFound(f"nothing is recorded of session {held.id!r}")
        before = {
            "exchanges": len(rows), "characters": sum(row.size for row in rows),
            "scope": held.scope, "started_at": utc(held.started_at).isoformat(),
        }  # fmt: skip
        for row in rows:
            row.spans, row.redactions, row.size, row.forgotten = [], {}, 0, True
            session.add(row)
        quotes.forget(session, held.id)
        number = ledger.append(
            session, kind=KIND, target=f"session:{held.id}", action="forget", actor=actor,
            reason=reason, before=before, after=None,
        )  # fmt: skip
    return number, len(rows)


def forget_older(database: Database, days: int) -> int:
    """Forget ended sessions that said nothing for so many days; how many."""
    limit = now() - timedelta(days=days)
    query = (
        select(ExchangeRow.session)
        .join(SessionRow, col(SessionRow.id) == col(ExchangeRow.session))
        .where(~col(ExchangeRow.forgotten), col(SessionRow.ended_at).is_not(None))
        .where(col(SessionRow.seen_at) < limit)
        .distinct()
    )
    with database.read() as session:
        old = session.exec(query).all()
    for name in old:
        forget(database, name, actor="retention", reason=f"older than {days} days")
    return len(old)


def counts(session: Session, name: str) -> dict[str, int]:
    """What a session's transcripts held: rows read, and rows skipped by reason."""
    rows = session.exec(select(TranscriptRow).where(TranscriptRow.session == name)).all()
    found: dict[str, int] = {}
    for row in rows:
        for reason, number in row.counts.items():
            found[reason] = found.get(reason, 0) + number
    return found


def _is_fresh(held: SessionRow, moment: datetime) -> bool:
    return timedelta(0) <= moment - utc(held.seen_at) < IDLE


def _ask_for_wrap(session: Session, held: SessionRow) -> bool:
    query = select(
        func.max(ExchangeRow.end), func.max(ExchangeRow.sequence), func.max(ExchangeRow.turn)
    ).where(ExchangeRow.session == held.id, ~col(ExchangeRow.forgotten))
    position, sequence, turn = session.execute(query).one()
    if sequence is None:
        return False
    return outbox.post(
        session, kind=outbox.WRAP, key=f"wrap:{held.id}:{position}:{sequence}",
        payload={"session": held.id, "position": position, "sequence": sequence, "turn": turn},
    )  # fmt: skip


def _counted(session: Session, row: SessionRow) -> Listed:
    query = select(ExchangeRow.size, ExchangeRow.redactions).where(
        ExchangeRow.session == row.id, ~col(ExchangeRow.forgotten)
    )
    found = session.exec(query).all()
    removed = sum(sum(kinds.values()) for _, kinds in found)
    return Listed(row, len(found), sum(size for size, _ in found), removed)
