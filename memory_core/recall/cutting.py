"""Of each chosen note the part that answers, in one reading for all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from memory_core.recall import trim
from memory_core.recall.reading import Reader, read
from memory_core.recall.source import Source

MOST_PAIRS = 24


class Cutter:
    """Cuts notes to a budget of characters; without a reader, around the passage found."""

    def __init__(self, reader: Reader | None, budget: int, deadline: float = math.inf) -> None:
        self._reader, self._budget, self._deadline = reader, budget, deadline

    def texts(self, query: str, chosen: Sequence[tuple[Source, int]]) -> list[str]:
        """One text a source; each comes with the number of the passage that was found.

        A note within the budget is given whole and not read again.
        """
        cuts = [trim.pieces(source.points, self._budget) for source, _ in chosen]
        best = [
            _inside(source, ordinal, cut)
            for (source, ordinal), cut in zip(chosen, cuts, strict=True)
        ]
        long = [at for at, cut in enumerate(cuts) if not trim.fits(cut, self._budget)]
        for at, number in self._read(query, chosen, cuts, long).items():
            best[at] = [number]
        return [
            trim.around(cut, numbers[0] if numbers else 0, self._budget)
            for cut, numbers in zip(cuts, best, strict=True)
        ]

    def _read(
        self,
        query: str,
        chosen: Sequence[tuple[Source, int]],
        cuts: Sequence[list[trim.Piece]],
        long: Sequence[int],
    ) -> dict[int, int]:
        """The best piece's number of each long note, as far as the time allows."""
        if not self._reader or not long:
            return {}
        share = MOST_PAIRS // len(long)
        pairs = [(at, number) for at in long for number in _offered(*chosen[at], cuts[at], share)]
        texts = [_headed(chosen[at][0], cuts[at][number].text) for at, number in pairs]
        scores = read(self._reader, query, texts, self._deadline)
        rated: dict[int, tuple[float, int]] = {}
        for (at, number), score in zip(pairs, scores, strict=False):
            rated[at] = max(rated.get(at, (-math.inf, 0)), (score, -number))
        return {at: -number for at, (_, number) in rated.items()}


def _inside(source: Source, ordinal: int, cut: Sequence[trim.Piece]) -> list[int]:
    """The numbers of the pieces that the passage covers."""
    passage = source.passages[ordinal]
    return [n for n, piece in enumerate(cut) if passage.first <= piece.point <= passage.last]


def _offered(source: Source, ordinal: int, cut: Sequence[trim.Piece], most: int) -> Sequence[int]:
    """Piece numbers worth reading: those of the passage found first, then outward."""
    if len(cut) <= most:
        return range(len(cut))
    inside = _inside(source, ordinal, cut)
    middle = inside[len(inside) // 2] if inside else 0
    ranked = sorted(range(len(cut)), key=lambda n: (n not in inside, abs(n - middle)))
    return sorted(ranked[:most])


def _headed(source: Source, text: str) -> str:
    return f"{source.description}\n{text}" if source.description else text
