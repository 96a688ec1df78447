"""The change of a score between two runs over the same questions, with what noise explains.

The interval is a paired bootstrap (Efron 1979) of the questions' own outcomes: won, lost,
same. Drawing questions with replacement only counts those three, so the draws are
multinomial; the seed is fixed, so the same runs give the same interval.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_core.benchmark.score import Result

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Draws = npt.NDArray[np.float64]

DRAWS = 10_000
SEED = 20
TAIL = 2.5  # per cent on each side: a 95 % interval


@dataclass(frozen=True, slots=True)
class Change:
    """hit@3 before and after over `questions` answerable questions that both runs asked.

    Shares run from 0 to 1. `won` and `lost` count the questions whose note joined or left
    the three. `low` and `high` enclose the difference with 95 % confidence.
    """

    questions: int
    before: float
    after: float
    won: int
    lost: int
    low: float
    high: float

    @property
    def rose(self) -> bool:
        """Whether it rose by more than noise explains."""
        return self.low > 0

    @property
    def fell(self) -> bool:
        """Whether it fell by more than noise explains."""
        return self.high < 0

    @property
    def said(self) -> str:
        """In a few words: `+1.6 points (-0.4 to +3.6, 250 questions)`."""
        points, low, high = (100 * share for share in self._spread)
        return f"{points:+.1f} points ({low:+.1f} to {high:+.1f}, {self.questions} questions)"

    @property
    def _spread(self) -> tuple[float, float, float]:
        return (self.won - self.lost) / self.questions, self.low, self.high


def between(before: Mapping[str, Result], after: Mapping[str, Result]) -> Change | None:
    """The change over the answerable questions of both, by id; None where they share none.

    The caller leaves out what has the same id and asks something else (`comparison.common`).
    """
    shared = [id for id in after if id in before and after[id].answerable]
    if not shared:
        return None
    pairs = [(before[id].hit, after[id].hit) for id in shared]
    won, lost = pairs.count((False, True)), pairs.count((True, False))
    total = len(pairs)
    low, high = _interval(_draws(won, lost, total, 0))
    hits = [sum(hits) / total for hits in zip(*pairs, strict=True)]
    return Change(total, round(hits[0], 4), round(hits[1], 4), won, lost, low, high)


def exceeds(one: Change, other: Change) -> bool:
    """Whether `one` rose by more than `other` did, beyond what noise explains."""
    first, second = (
        _draws(change.won, change.lost, change.questions, salt)
        for salt, change in enumerate((one, other))
    )
    return _interval(first - second)[0] > 0


def _draws(won: int, lost: int, total: int, salt: int) -> Draws:
    """`DRAWS` differences, each of `total` questions drawn with replacement."""
    import numpy as np

    shares = [won / total, lost / total, (total - won - lost) / total]
    drawn = np.random.default_rng([SEED, salt]).multinomial(total, shares, DRAWS)
    return (drawn[:, 0] - drawn[:, 1]) / total


def _interval(draws: Draws) -> tuple[float, float]:
    import numpy as np

    low, high = np.percentile(draws, [TAIL, 100 - TAIL])
    return round(float(low), 4), round(float(high), 4)
