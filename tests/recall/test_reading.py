"""Against the clock the likeliest passages are read, and what was left out is said."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from memory_core.recall.reading import GROUP, read

TEXTS = [str(number) for number in range(2 * GROUP + 3)]


class Slow:
    """A reader that takes a set time a group and notes what it read."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.seen = seconds, 0

    def score(self, query: str, passages: Sequence[str]) -> list[float]:
        time.sleep(self.seconds)
        self.seen += len(passages)
        return [float(text) for text in passages]


def test_without_a_deadline_everything_is_read_in_order() -> None:
    assert read(Slow(0), "q", TEXTS, math.inf) == [float(text) for text in TEXTS]


def test_a_group_that_would_end_too_late_is_not_begun() -> None:
    reader = Slow(0.05)
    scores = read(reader, "q", TEXTS, time.monotonic() + 0.08)
    assert len(scores) == reader.seen == GROUP
    assert scores == [float(text) for text in TEXTS[:GROUP]]


def test_one_group_is_read_even_when_the_time_is_over() -> None:
    assert len(read(Slow(0), "q", TEXTS, time.monotonic() - 1)) >= GROUP


def test_nothing_to_read_is_no_error() -> None:
    assert read(Slow(0), "q", [], math.inf) == []
