"""The change of a score between two runs over the same questions, with what noise explains.

The interval is a paired bootstrap (Efron 1979) of the questions' own outcomes: won, lost,
same. Drawing questions with replacement only counts those three, so the draws are
multinomial; the seed is fixed, so the same runs give the same interval. One question won
and one lost are added before drawing (Agresti and Min 2005 for paired shares), so that a
small set in which nothing differed is not taken for certain.
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
TAIL = 2.5  # per cent on each side: a 95 % interval of one comparison


@dataclass(frozen=True, slots=True)
class Change:
    """hit@3 before and after over `questions` answerable questions that both runs asked.

    Shares run from 0 to 1. `won` and `lost` count the questions whose note joined or left
    the three. `low` and `high` enclose the difference with 95 % confidence, also where
    it is one of several comparisons.
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
    def points(self) -> float:
        """The difference in percentage points."""
        return 100 * (self.won - self.lost) / self.questions

    @property
    def said(self) -> str:
        """In a few words: `+1.6 points (-0.4 to +3.6, 250 questions)`."""
        low, high = 100 * self.low, 100 * self.high
        return f"{self.points:+.1f} points ({low:+.1f} to {high:+.1f}, {self.questions} questions)"


def between(
    before: Mapping[str, Result], after: Mapping[str, Result], looks: int = 1
) -> Change | None:
    """The change over the answerable questions of both, by id; None where they share none.

    With so many `looks` each interval is wider (Bonferroni).

    The caller leaves out what has the same id and asks something else (`comparison.common`).
    """
    shared = [id for id in after if id in before and after[id].answerable]
    if not shared:
        return None
    pairs = [(before[id].hit, after[id].hit) for id in shared]
    won, lost = pairs.count((False, True)), pairs.count((True, False))
    total = len(pairs)
    low, high = _interval(_draws(won, lost, total, 0), looks)
    hits = [sum(hits) / total for hits in zip(*pairs, strict=True)]
    return Change(total, round(hits[0], 4), round(hits[1], 4), won, lost, low, high)


def exceeds(one: Change, other: Change, looks: int = 1) -> bool:
    """Whether `one` rose by more than `other` did, beyond what noise explains in so many looks."""
    first, second = (
        _draws(change.won, change.lost, change.questions, salt)
        for salt, change in enumerate((one, other))
    )
    return _interval(first - second, looks)[0] > 0


def _draws(won: int, lost: int, total: int, salt: int) -> Draws:
    """`DRAWS` differences, each of `total` questions drawn with replacement."""
    import numpy as np

    of = total + 2
    shares = [(won + 1) / of, (lost + 1) / of, (total - won - lost) / of]
    drawn = np.random.default_rng([SEED, salt]).multinomial(of, shares, DRAWS)
    return (drawn[:, 0] - drawn[:, 1]) / of


def _interval(draws: Draws, looks: int = 1) -> tuple[float, float]:
    import numpy as np

    low, high = np.percentile(draws, [TAIL / looks, 100 - TAIL / looks])
    return round(float(low), 4), round(float(high), 4)
