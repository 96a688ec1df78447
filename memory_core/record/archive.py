"""The stored exchanges: what is kept of two readings, and in which order.

The only place that writes an exchange. A uuid is stored once, also when a fork copied
it; of two readings the fuller one stays; what was forgotten stays forgotten.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import update
from sqlmodel import Session, col, select

from memory_core.record.exchange import Exchange, Span
from memory_core.store.tables import CounterRow, ExchangeRow, SessionRow, now, utc

COUNTER = "record"


def keep(session: Session, held: SessionRow, exchanges: Sequence[Exchange]) -> int:
    """Store the exchanges of a session in their order; how many were new or fuller."""
    stored = sum([_keep(session, held, exchange) for exchange in exchanges])
    if stored:
        held.seen_at, held.ended_at, held.reason = now(), None, ""
    session.add(held)
    return stored


def keep_reply(
    session: Session, held: SessionRow, *, client: str, prompt: str, reply: str, at: datetime
) -> bool:
    """Store a reply that came without a transcript, unless its turn has one."""
    same = select(ExchangeRow).where(
        ExchangeRow.session == held.id, ExchangeRow.prompt == prompt
    ).order_by(col(ExchangeRow.turn).desc())  # fmt: skip
    last = session.exec(same).first()
    span = Span("agent", reply).as_json()
    if last is None:
        exchange = Exchange(f"{held.id}/{prompt}", held.id, client, at, at, prompt=prompt)
        exchange.spans, exchange.state = [Span("agent", reply)], "answered"
        return keep(session, held, [exchange]) == 1
    if last.forgotten or any(one["source"] == "agent" for one in last.spans):
        return False
    last.spans, last.state = [*last.spans, span], "answered"
    last.sequence = _next(session)
    session.add(last)
    return True


def exchanges(
    session: Session, *, of: str | None = None, since: int = 0, limit: int | None = None
) -> list[Exchange]:
    """Stored exchanges with a sequence above `since`.

    Of a session in its order, else of all in the order of recording.
    """
    query = select(ExchangeRow).where(
        ~col(ExchangeRow.forgotten), col(ExchangeRow.sequence) > since
    )
    if of is None:
        query = query.order_by(col(ExchangeRow.sequence))
    else:
        query = query.where(ExchangeRow.session == of).order_by(col(ExchangeRow.turn))
    return [_exchange(row) for row in session.exec(query.limit(limit))]


def _keep(session: Session, held: SessionRow, exchange: Exchange) -> bool:
    row = session.exec(select(ExchangeRow).where(ExchangeRow.uuid == exchange.uuid)).first()
    if row is None:
        row = _without_transcript(session, exchange)
    if row is None:
        held.turns += 1
        row = ExchangeRow(
            uuid=exchange.uuid, session=held.id, turn=held.turns, sequence=0,
            client=exchange.client, at=exchange.at, until=exchange.until,
            prompt=exchange.prompt, state=exchange.state, spans=[], redactions={},
        )  # fmt: skip
    elif row.forgotten or row.session != held.id or row.rows >= exchange.rows:
        return False
    _fill(row, exchange)
    row.sequence = _next(session)
    session.add(row)
    session.flush()
    return True


def _without_transcript(session: Session, exchange: Exchange) -> ExchangeRow | None:
    """The turn's reply that was stored before its transcript could be read."""
    if not exchange.prompt or not exchange.rows:
        return None
    query = select(ExchangeRow).where(
        ExchangeRow.session == exchange.session,
        ExchangeRow.prompt == exchange.prompt,
        ExchangeRow.rows == 0,
    )
    return session.exec(query).first()


def _fill(row: ExchangeRow, exchange: Exchange) -> None:
    row.uuid, row.prompt, row.state = exchange.uuid, exchange.prompt, exchange.state
    row.at, row.until = exchange.at, exchange.until
    row.position, row.end, row.rows = exchange.position, exchange.end, exchange.rows
    row.left_out, row.redactions = exchange.left_out, exchange.redactions
    row.spans = [span.as_json() for span in exchange.spans]
    row.size = len(json.dumps(row.spans, ensure_ascii=False))


def _next(session: Session) -> int:
    """A number above all others; the counter's row stays locked until the commit."""
    raised = update(CounterRow).where(col(CounterRow.name) == COUNTER)
    session.execute(raised.values(value=CounterRow.value + 1))
    return session.exec(select(CounterRow.value).where(CounterRow.name == COUNTER)).one()


def _exchange(row: ExchangeRow) -> Exchange:
    return Exchange(
        uuid=row.uuid, session=row.session, client=row.client, at=utc(row.at),
        until=utc(row.until), spans=[Span(**span) for span in row.spans],
        state=row.state,  # type: ignore[arg-type]
        prompt=row.prompt, position=row.position, end=row.end, rows=row.rows,
        left_out=row.left_out, redactions=row.redactions, turn=row.turn, sequence=row.sequence,
    )  # fmt: skip
