"""Reading against the clock: the likeliest passages first, and as many as time allows.

On an idle machine everything is read. On a busy one a part of the pool read in time is
worth more than a whole pool read too late; the answer says how much was read.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

GROUP = 12
RESERVE = 1.2  # the next group is begun when this many times the slowest one still fits


class Reader(Protocol):
    """What scores pairs: the re-ranker."""

    def score(self, query: str, passages: Sequence[str]) -> list[float]:
        """One raw logit a passage, in order."""


def read(reader: Reader, query: str, texts: Sequence[str], deadline: float) -> list[float]:
    """Scores of the first `len(result)` texts: all, or whole groups that end in time.

    At least one group is read. `deadline` is a `time.monotonic()` moment.
    """
    scores: list[float] = []
    slowest = 0.0
    for at in range(0, len(texts), GROUP):
        began = time.monotonic()
        if at and began + RESERVE * slowest > deadline:
            break
        scores += reader.score(query, texts[at : at + GROUP])
        slowest = max(slowest, time.monotonic() - began)
    return scores
