"""One pool from both legs: the legs take turns, at most two passages of one source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from memory_core.recall.source import Place
from memory_core.recall.words import Hit


def union(
    words: Sequence[Hit], meaning: Sequence[Hit], *, size: int, per_source: int
) -> list[Place]:
    """Up to `size` places; each leg's best first, in turns, `per_source` of one source."""
    chosen: dict[Place, None] = {}
    counted: Counter[str] = Counter()
    for hit in _turns(words, meaning):
        if len(chosen) == size:
            break
        if hit.place in chosen or counted[hit.place.source] == per_source:
            continue
        chosen[hit.place] = None
        counted[hit.place.source] += 1
    return list(chosen)


def fusion(
    words: Sequence[Hit], meaning: Sequence[Hit], *, size: int, per_source: int, k: int = 60
) -> list[Place]:
    """The same by reciprocal rank fusion (Cormack, Clarke, Buettcher 2009): sum of 1/(k+rank)."""
    weight: dict[Place, float] = {}
    for leg in (words, meaning):
        for rank, hit in enumerate(leg, 1):
            weight[hit.place] = weight.get(hit.place, 0.0) + 1 / (k + rank)
    ranked = sorted(weight, key=lambda place: (-weight[place], place.source, place.ordinal))
    return union(
        [Hit(place, weight[place]) for place in ranked], [], size=size, per_source=per_source
    )


def _turns(first: Sequence[Hit], second: Sequence[Hit]) -> Iterator[Hit]:
    for pair in zip_longest(first, second):
        yield from (hit for hit in pair if hit is not None)
