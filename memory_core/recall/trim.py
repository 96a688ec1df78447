"""The cut: of a note longer than the budget, the point that answers and its neighbours.

Neighbours are added outward from the best piece until the budget is used. Pieces are
verbatim: a code block or list item is never cut in the middle, a paragraph longer than
the budget is cut at sentence ends, and a block too long to show is named instead.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory_core.vault.note import Point

GAP = "[...]"
LONGEST_PIECE = 2_000
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A whole point, or one sentence of a long paragraph; `point` is the point's index."""

    text: str
    point: int


def pieces(points: Sequence[Point], budget: int) -> list[Piece]:
    """The points in pieces that a trim may keep or leave, in order."""
    found: list[Piece] = []
    for number, point in enumerate(points):
        cut = not point.atomic and len(point.text) > budget
        texts = _sentences(point.text) if cut else [point.text]
        found += [Piece(_showable(text), number) for text in texts]
    return found


def around(cut: Sequence[Piece], best: int, budget: int) -> str:
    """Pieces around number `best`: at most `budget` characters unless the best alone is longer."""
    if not cut:
        return ""
    low = high = best
    used = len(cut[best].text)
    grown = True
    while grown:
        grown = False
        for at in (high + 1, low - 1):
            if 0 <= at < len(cut) and used + len(cut[at].text) + 1 <= budget:
                used += len(cut[at].text) + 1
                low, high, grown = min(low, at), max(high, at), True
    shown = [piece.text for piece in cut[low : high + 1]]
    return "\n".join([GAP] * (low > 0) + shown + [GAP] * (high < len(cut) - 1))


def _sentences(text: str) -> list[str]:
    return [part for part in _SENTENCE.split(text) if part.strip()] or [text]


def _showable(text: str) -> str:
    if len(text) <= LONGEST_PIECE:
        return text
    return f"[a block of {len(text)} characters stands here: open the file]"
