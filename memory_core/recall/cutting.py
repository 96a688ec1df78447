"""Of a chosen note the part that answers: the point that the judge liked best, and its neighbours.

Passages are single points, so the judge has read them already; reading a note's points
once more by the cross-encoder alone cost a third of the time and kept fewer answers.
"""

from __future__ import annotations

from memory_core.recall import trim
from memory_core.recall.source import Source


def cut(source: Source, ordinal: int, budget: int) -> str:
    """The source's text around passage number `ordinal`, whole where it fits `budget`."""
    passage = source.passages[ordinal]
    pieces = trim.pieces(source.points, budget)
    inside = (
        number
        for number, piece in enumerate(pieces)
        if passage.first <= piece.point <= passage.last and _shares(piece.text, passage.body)
    )
    return trim.around(pieces, next(inside, 0), budget)


def _shares(piece: str, body: str) -> bool:
    """Whether a piece is part of the passage; a point cut into sentences has several."""
    return piece in body or body in piece or body[:40] in piece or piece[:40] in body
