"""Lines of the always-loaded file that nothing in the record ever touched.

Only a fact can be judged so: a rule that is never broken leaves no trace. A session touches
a fact when what was said and called in it names one of its things, or half of its words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from memory_core.record.exchange import Exchange
from memory_core.routines.optimize.lines import Line, stems
from memory_core.text import fold

SESSIONS = 20  # with fewer, that nothing touched a line says nothing
READ = 4_000  # characters of one span
_HALF = 0.5
_FEWEST = 2  # words of a line, without which it has nothing to be touched by


@dataclass(frozen=True, slots=True)
class Untouched:
    """Lines without a trace in so many sessions; none while there are too few sessions."""

    sessions: int
    untouched: tuple[Line, ...] = ()


def lines(own: Sequence[Line], exchanges: Callable[[], Iterable[Exchange]]) -> Untouched:
    """Read the record once; lines that are rules are not judged."""
    left = [line for line in own if not line.is_rule and len(line.stems) >= _FEWEST]
    if not left:
        return Untouched(0)
    sessions: set[str] = set()
    for exchange in exchanges():
        sessions.add(exchange.session)
        said = _said(exchange)
        words, told = stems(said), fold(said)
        left = [line for line in left if not _touches(line, words, told)]
    if len(sessions) < SESSIONS:
        return Untouched(len(sessions))
    return Untouched(len(sessions), tuple(left))


def _said(exchange: Exchange) -> str:
    pieces = [piece[:READ] for span in exchange.spans for piece in (span.text, span.input)]
    return "\n".join(piece for piece in pieces if piece)


def _touches(line: Line, words: frozenset[str], told: str) -> bool:
    if len(line.stems & words) >= max(_FEWEST, _HALF * len(line.stems)):
        return True
    names = (name for name in line.names if len(name) > 3 or not name.isdigit())
    return any(re.search(rf"(?<!\w){re.escape(fold(name))}(?!\w)", told) for name in names)
