"""Pieces: the spans of a session with the numbers by which a model cites them.

A piece is shown shortened, its beginning and its end; what it proves is looked up in
the whole. Chunks hold whole exchanges where they can.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_core.proposals.item import Evidence
from memory_core.record.exchange import Exchange, Span
from memory_core.text import clean, one_line, terms

SHOWN = {"user": 6000, "agent": 4000, "tool": 1600, "web": 3000}  # characters of one piece
INPUT = 800  # characters of a tool call's input
QUOTE = 300  # characters of a quote

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")


@dataclass(frozen=True, slots=True)
class Piece:
    """One span; `number` counts from 1 over the whole session."""

    number: int
    exchange: Exchange
    span: Span

    @property
    def whole(self) -> str:
        """All that it says."""
        span = self.span
        return "\n".join(part for part in (span.text, span.name, span.input, span.output) if part)

    @property
    def shown(self) -> str:
        """As the model reads it."""
        span = self.span
        if not span.name:
            return f"[{self.number}] {span.source}: {cut(span.text, SHOWN[span.source])}"
        state = " (failed)" if span.failed else ""
        output = cut(span.output, SHOWN[span.source])
        return (
            f"[{self.number}] {span.source} {span.name}{state}\n"
            f"input: {cut(span.input, INPUT)}\noutput: {output or '(none)'}"
        )

    def evidence(self, statement: str) -> Evidence:
        """The quote of it that says most of the statement."""
        exchange, span = self.exchange, self.span
        quote = _quote(self.whole, statement)
        told, called = quote.rstrip("…"), one_line(clean(span.input))
        return Evidence(
            session=exchange.session, turn=exchange.turn, source=span.source, quote=quote,
            ref=span.ref, at=exchange.at.isoformat(), input=bool(told) and told in called,
        )  # fmt: skip


def pieces(exchanges: Sequence[Exchange]) -> list[Piece]:
    """Every span that says something, numbered in order."""
    spans = [(exchange, span) for exchange in exchanges for span in exchange.spans]
    told = [(exchange, span) for exchange, span in spans if span.text.strip() or span.name]
    return [Piece(number, *one) for number, one in enumerate(told, 1)]


def chunks(found: Sequence[Piece], room: int) -> list[list[Piece]]:
    """Runs of pieces of at most `room` tokens; an exchange is parted only when it has to be."""
    made: list[list[Piece]] = []
    size = 0
    for exchange in _by_exchange(found):
        weights = [weight(piece.shown) + 1 for piece in exchange]
        if made and size + sum(weights) > room:
            made, size = [*made, []], 0
        for piece, own in zip(exchange, weights, strict=True):
            if not made or (made[-1] and size + own > room):
                made, size = [*made, []], 0
            made[-1].append(piece)
            size += own
    return [chunk for chunk in made if chunk]


def weight(text: str) -> int:
    """Tokens that a text takes at most, by a rule that needs no tokenizer."""
    plain = sum(map(str.isascii, text))
    return plain // 3 + len(text) - plain + 1


def cut(text: str, most: int) -> str:
    """The beginning and the end of a text, with what is left out counted."""
    text = text.strip()
    if len(text) <= most:
        return text
    head, tail = most * 2 // 3, most // 3
    return f"{text[:head]}\n[... {len(text) - head - tail} characters ...]\n{text[-tail:]}"


def when(at: datetime) -> str:
    """A moment's date as people write it, so that a date can be told from the evidence."""
    return f"{at:%Y-%m-%d} {at.day} {at:%B %Y}"


def _by_exchange(found: Iterable[Piece]) -> list[list[Piece]]:
    groups: dict[int, list[Piece]] = {}
    for piece in found:
        groups.setdefault(id(piece.exchange), []).append(piece)
    return list(groups.values())


def _quote(text: str, statement: str) -> str:
    """The sentence that shares the most terms with the statement, with the next if it fits."""
    parts = [one for one in map(one_line, _SENTENCE.split(clean(text))) if one]
    if not parts:
        return ""
    wanted = set(terms(statement))
    scores = [len(wanted & set(terms(part))) for part in parts]
    best = max(range(len(parts)), key=lambda at: (scores[at], -at))
    quote = parts[best]
    for after in parts[best + 1 : best + 2]:
        if scores[best + 1] and len(quote) + len(after) < QUOTE:
            quote = f"{quote} {after}"
    return quote if len(quote) <= QUOTE else quote[: QUOTE - 1] + "…"
