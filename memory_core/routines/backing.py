"""What backs a sentence: the lines of outputs and calls that hold its names and numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from memory_core.proposals.item import Evidence
from memory_core.routines.commands import failure
from memory_core.routines.statements import Row, Statement, content, named
from memory_core.text import clean, fold

REACH = 5  # rows before a sentence
MOST = 2  # quotes of tools
LINE = 240  # characters of a quoted line
_READ = 40_000


def is_backed(statement: Statement, rows: Sequence[Row]) -> bool:
    """Whether a call shortly before holds two of its names and numbers."""
    return any(_shares(statement, row) for row in _before(statement.row, rows))


def is_carried_out(statement: Statement, rows: Sequence[Row]) -> bool:
    """Whether the next call does with two of its names what the sentence says."""
    later = rows[statement.row.order + 1 : statement.row.order + 2]
    names = [fold(name) for name in named(statement.text)]
    return any(
        sum(name.strip("/") in fold(row.span.input) for name in names) >= 2
        for row in later if row.span.name and not failure(row)
    )  # fmt: skip


def _shares(statement: Statement, row: Row) -> bool:
    if len(_marks(statement) & _held(row)) >= 2:
        return True
    told = fold(f"{row.span.input}\n{row.span.output[:_READ]}")
    return sum(fold(name).strip("/") in told for name in named(statement.text)) >= 2


def quotes(said: Sequence[Statement], rows: Sequence[Row], poison: Sequence[str]) -> list[Evidence]:
    """The best lines of the calls that back the sentences, the nearest first."""
    marks = frozenset().union(*(_marks(one) for one in said))
    found: list[Evidence] = []
    for row in _before(said[0].row, rows):
        line, shared = _best_line(row, marks, poison)
        if shared >= 2 and len(found) < MOST:
            found.append(quote(row, line))
    return found


def quote(row: Row, line: str) -> Evidence:
    """A line of a call or of its output as evidence."""
    span = row.span
    called = bool(span.name) and line in span.input and line not in span.output
    return Evidence(row.session, row.turn, span.source, line, span.ref, row.at, called)


def _before(row: Row, rows: Sequence[Row]) -> list[Row]:
    near = rows[max(0, row.order - REACH) : row.order]
    return [other for other in reversed(near) if other.span.name]


def _marks(statement: Statement) -> frozenset[str]:
    """Numbers, code words and the longer words of a sentence."""
    code = content(" ".join(named(statement.text)))
    return frozenset(
        code | {term for term in statement.terms if len(term) > 5 or any(map(str.isdigit, term))}
    )


@lru_cache(maxsize=64)
def _held(row: Row) -> frozenset[str]:
    return frozenset(content(f"{row.span.input}\n{row.span.output[:_READ]}"))


def _best_line(row: Row, marks: frozenset[str], poison: Sequence[str]) -> tuple[str, int]:
    best, most = "", 0
    for line in f"{row.span.output[:_READ]}\n{row.span.input}".split("\n"):
        line = clean(line).strip()
        if not line or "[redacted:" in line or any(line in one or one in line for one in poison):
            continue
        if len(line) > LINE:
            line = re.sub(r"\s\S*$", "", line[:LINE])
        shared = len(marks & content(line))
        if shared > most:
            best, most = line, shared
    return best, most
