"""Statements: the sentences of a session in order, each with the span it was said in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from memory_core.record.exchange import Exchange, Span
from memory_core.routines import speech
from memory_core.text import fold

_CODE = re.compile(r"`([^`\n]+)`")
_PATH = re.compile(
    r"(?<![\w`])(?:[\w@.~-]*/[\w@.()*<>~/-]*\w\)?/?|[\w-]+\.(?:[a-z]{1,5})\b|--?[a-z][\w-]+)"
)
_TOKEN = re.compile(r"[\w.~/@$:=-]*\w", re.UNICODE)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_SHORT = 3


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One span of a session; `order` counts over all of them, `turn` is the exchange's."""

    order: int
    turn: int
    at: str
    session: str
    span: Span
    said: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """Who: user, agent, tool or web."""
        return self.span.source


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """A sentence; `place` is its position among the sentences of its row."""

    text: str
    row: Row
    place: int
    terms: frozenset[str] = field(default=frozenset())


def rows(exchanges: Sequence[Exchange]) -> list[Row]:
    """The spans in order, with the sentences of those that are speech."""
    found: list[Row] = []
    for exchange in exchanges:
        for span in exchange.spans:
            read = {"user": speech.of_user, "agent": speech.of_agent}.get(span.source)
            said = tuple(read(span.text)) if read else ()
            at = exchange.at.isoformat()
            found.append(Row(len(found), exchange.turn, at, exchange.session, span, said))
    return found


def statements(row: Row) -> list[Statement]:
    """The sentences of a row."""
    return [
        Statement(text, row, place, frozenset(content(text))) for place, text in enumerate(row.said)
    ]


def content(text: str) -> set[str]:
    """What a text is about, folded: code words, numbers, names and longer words."""
    found = set()
    for token in _TOKEN.findall(text.replace("`", " ")):
        word = fold(token.strip(".:/=-"))
        if hour := re.fullmatch(r"(\d{1,2}):\d\d", word):
            found.add(hour[1])
        if any(map(str.isdigit, word)) or (len(word) > _SHORT and not _CJK.search(word)):
            found.add(word if re.search(r"[\d/_.=:]", word) else _stem(word))
    for run in _CJK.findall(text):
        found |= {run[at : at + 2] for at in range(len(run) - 1)}
    return found - _COMMON


def named(text: str) -> list[str]:
    """Code spans, paths and flags, in order."""
    spans = _CODE.findall(text)
    return [*spans, *_PATH.findall(_CODE.sub(" ", text))]


def _stem(word: str) -> str:
    for ending in ("ings", "ing", "ies", "ied", "ers", "ed", "es", "en", "er", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORT + 1:
            return word[: -len(ending)]
    return word


_STOPPED = """
    about after again alone already also always another anything because been before being below
    both cannot could does doing done each either else even every first from goes have here into
    it's just last later least like made make makes many more most much must need needs never next
    nothing once only other over same should since some such take takes than that that's their them
    then there these they thing things this those three through under until used uses very want
    what when where which while will with within without would your yours works
    alle alltid bare denne dette eller etter fordi hvis ikke ingen jeg kan med men noen også over
    skal slik være aber alle auch dann dass denn dies diese doch eine einen einer haben immer ist
    kann nicht noch oder sein sich sind über werden wird wenn
"""
_COMMON = frozenset(_stem(fold(word)) for word in _STOPPED.split())
