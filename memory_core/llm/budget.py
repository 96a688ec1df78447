"""The books: one row a call, written before it goes out, and what a run and a day may spend.

A call reserves what it can cost at most in the transaction that checks the limits, so
two processes cannot spend the same tokens; one that is killed stays reserved.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select

from memory_core.errors import OverBudget
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.store.tables import LlmCallRow, now

DAY = timedelta(hours=24)
LEAST_REPLY = 256  # tokens below which a reply is not worth asking for
REPLY_KEPT = 64_000  # characters of a refused reply
UNFINISHED = "unfinished"


def reserve(database: Database, settings: Settings, row: LlmCallRow, asked: int, most: int) -> int:
    """Write the row of a call of `asked` input tokens; returns the tokens its reply may have.

    `most` is what the model has left for it. Raises `OverBudget` with what is used, asked
    for and allowed; no row is written then.
    """
    with database.write() as session:
        left = min(
            _left(session, "run", row.run, asked, settings.llm_tokens_a_run),
            _left(session, "day", "", asked, settings.llm_tokens_a_day),
        )
        row.tokens_in, row.tokens_out = asked, min(left, most, settings.llm_reply_tokens)
        row.error = UNFINISHED
        session.add(row)
        return row.tokens_out


def settle(database: Database, row: LlmCallRow) -> None:
    """Write down what the call came to."""
    row.reply = row.reply[:REPLY_KEPT]
    with database.write() as session:
        session.merge(row)


def cost(database: Database, run: str) -> dict[str, Any]:
    """What a run has spent: `{calls, tokens_in, tokens_out, usd, models}`.

    `usd` is None when the price of a call is not known.
    """
    with database.read() as session:
        rows = session.exec(select(LlmCallRow).where(LlmCallRow.run == run)).all()
    prices = [row.usd for row in rows if row.tokens_in or row.tokens_out]
    return {
        "calls": len(rows),
        "tokens_in": sum(row.tokens_in for row in rows),
        "tokens_out": sum(row.tokens_out for row in rows),
        "usd": None if None in prices else round(sum(price or 0.0 for price in prices), 6),
        "models": sorted({row.model for row in rows}),
    }


def _left(session: Session, what: str, run: str, asked: int, limit: int) -> int:
    """Tokens left for the reply once `asked` are spent."""
    query = select(func.sum(LlmCallRow.tokens_in + LlmCallRow.tokens_out))
    if what == "run":
        query = query.where(LlmCallRow.run == run)
    else:
        query = query.where(col(LlmCallRow.at) > now() - DAY)
    used = session.exec(query).one() or 0
    left = limit - used - asked
    if left < LEAST_REPLY:
        when = "of this run" if what == "run" else "in the last 24 hours"
        raise OverBudget(
            f"{used:,} tokens used {when}, {asked:,} asked for with room for a reply,"
            f" the limit is {limit:,}",
            remedy=f"raise llm_tokens_a_{what}, or wait",
        )
    return left
