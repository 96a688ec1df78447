"""Where the lines of a chart's axes stand: round values, and days."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta

_STEPS = (1, 2, 2.5, 5, 10)
_ROOM = 0.08  # of the range, above and below the values


def values(low: float, high: float, lines: int = 4) -> tuple[float, ...]:
    """Round values from at or below `low` to at or above `high`, about `lines` of them."""
    if high <= low:
        spread = abs(low) * 0.1 or 1.0
        low, high = low - spread, high + spread
    rough = (high - low) / lines
    power = 10 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in _STEPS if factor * power >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return tuple(round(number * step, 10) for number in range(first, last + 1))


def roomy(low: float, high: float) -> tuple[float, float]:
    """The range with a little room, so that no line runs along the frame."""
    room = (high - low) * _ROOM
    return low - room, high + room


def moments(first: datetime, last: datetime, most: int = 4) -> Sequence[datetime]:
    """Up to `most` moments from first to last at equal distances; one for a single moment."""
    if last - first < timedelta(minutes=1):
        return [first]
    return [first + (last - first) * at / (most - 1) for at in range(most)]


def span(first: datetime, last: datetime) -> str:
    """How to write moments of this span, for `strftime`."""
    if last - first < timedelta(days=2):
        return "%d %b %H:%M"
    return "%d %b" if last - first < timedelta(days=300) else "%b %Y"
