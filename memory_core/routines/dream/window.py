"""The window as statements: what sessions said, read session by session with little in memory.

A statement that was taken back, passes on an order found in data, or stands on a web page
alone is left out. The order of evidence is that of the sessions' own turns; a clock that
jumps back within a session does not reorder it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cached_property

from memory_core.proposals.item import Evidence
from memory_core.record.exchange import Exchange
from memory_core.routines import cues, poisoned, statements
from memory_core.routines.dream import change_cues
from memory_core.routines.dream.about import about
from memory_core.routines.dream.values import values
from memory_core.routines.statements import Row, Statement
from memory_core.routines.withdrawn import Withdrawals

OPEN = 32  # sessions that are read side by side
BEFORE = 6  # statements before one that tell what it is about
_LONGEST = 300  # characters of a quote
_OUTPUT = 2_000  # characters of an output that say what somebody's words are about

Order = tuple[datetime, int, int, int]


@dataclass(frozen=True, eq=False)
class Said:
    """A statement with what stands around it; `order` compares over sessions."""

    statement: Statement
    order: Order
    near: tuple[str, ...]  # the sentences that tell what it is about
    agreed: bool
    from_web: frozenset[str]
    quote: str

    @cached_property
    def terms(self) -> frozenset[str]:
        """The words of the sentence."""
        return about(self.text)

    @cached_property
    def around(self) -> frozenset[str]:
        """The words of what was said just before, of its own message, and of the request."""
        return about("\n".join(self.near)) - self.terms

    @property
    def text(self) -> str:
        """The sentence."""
        return self.statement.text

    @property
    def source(self) -> str:
        """Who said it."""
        return self.statement.row.source

    @property
    def on(self) -> date | None:
        """The day; None when the transcript has no time."""
        moment = datetime.fromisoformat(self.statement.row.at)
        return moment.date() if moment.year > 1970 else None

    def evidence(self) -> Evidence:
        """The quote with its place in the record."""
        row = self.statement.row
        return Evidence(row.session, row.turn, row.span.source, self.quote, row.span.ref, row.at)


class Window:
    """Takes exchanges in and hands out what each session said when it is through with it."""

    def __init__(self, keep: Callable[[str], bool]) -> None:
        self._keep = keep
        self._open: OrderedDict[str, list[Exchange]] = OrderedDict()

    def add(self, exchange: Exchange) -> Iterator[Said]:
        """Take an exchange in; yields the statements of a session that is set aside."""
        self._open.setdefault(exchange.session, []).append(_light(exchange))
        self._open.move_to_end(exchange.session)
        if len(self._open) > OPEN:
            _, exchanges = self._open.popitem(last=False)
            yield from self._said(exchanges)

    def rest(self) -> Iterator[Said]:
        """The statements of all sessions that are still open."""
        while self._open:
            _, exchanges = self._open.popitem(last=False)
            yield from self._said(exchanges)

    def _said(self, exchanges: list[Exchange]) -> Iterator[Said]:
        exchanges.sort(key=lambda exchange: (exchange.turn, exchange.sequence))
        rows = statements.rows(exchanges)
        kept = [self._keep(text) for row in rows for text in row.said]
        if not any(kept):
            return
        said = [one for row in rows for one in statements.statements(row)]
        gone, poison = Withdrawals(said).gone, poisoned.pieces(rows)
        moments = _moments(exchanges)
        for at, one in enumerate(said):
            if not kept[at] or one in gone or poisoned.is_poisoned(one, poison, rows):
                continue
            moment, sequence = moments[one.row.turn]
            order = (moment, sequence, one.row.turn, one.row.order * 100 + one.place)
            yield Said(
                one,
                order,
                _near(said, at),
                _is_agreed(one.row, rows),
                _web(one.row, rows),
                _quoted(one),
            )


def _light(exchange: Exchange) -> Exchange:
    """The exchange with its outputs cut: what is said is read, what tools gave is glanced at."""
    spans = [
        replace(span, output=span.output[:_OUTPUT], input=span.input[:_OUTPUT])
        if span.name
        else span
        for span in exchange.spans
    ]
    return replace(exchange, spans=spans)


def _moments(exchanges: Sequence[Exchange]) -> dict[int, tuple[datetime, int]]:
    """The time of each turn; one that lies before an earlier turn counts as that."""
    found: dict[int, tuple[datetime, int]] = {}
    latest = exchanges[0].at
    for exchange in exchanges:
        latest = max(latest, exchange.at)
        found[exchange.turn] = (latest, exchange.sequence)
    return found


def _near(said: Sequence[Statement], at: int) -> tuple[str, ...]:
    one = said[at]
    return tuple(
        other.text for other in said[max(0, at - BEFORE) : at + 4]
        if other is not one and one.row.order - 6 <= other.row.order <= one.row.order
    )  # fmt: skip


def _is_agreed(row: Row, rows: Sequence[Row]) -> bool:
    later = next((r for r in rows[row.order + 1 :] if r.source == "user"), None)
    return later is not None and bool(cues.AGREED.search(later.span.text))


def _web(row: Row, rows: Sequence[Row]) -> frozenset[str]:
    """The values that a web page brought in before."""
    return frozenset(
        value.norm
        for other in rows[max(0, row.order - 12) : row.order]
        if other.source == "web"
        for value in values(other.span.output)
    )


def _quoted(one: Statement) -> str:
    """The sentence, with those behind it that hold values or say what is new."""
    quote = one.text
    for text in one.row.said[one.place + 1 : one.place + 3]:
        if (
            not (values(text) or change_cues.NOW.search(text))
            or cues.QUESTION.search(text)
            or len(quote) + len(text) >= _LONGEST
        ):
            break
        quote = f"{quote} {text}"
    return quote[:_LONGEST]
