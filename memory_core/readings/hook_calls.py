"""The front hook's last calls in a few numbers: how long people waited, and for what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from typing import Any

from memory_core.store.calls import Call

WINDOW = 500  # calls that the numbers cover
WAITED = ("too slow", "busy", "given up")  # reasons for which somebody waited in full


def told(calls: Sequence[Call]) -> dict[str, Any]:
    """`{calls, since, notes, nothing, unavailable, why: {kind: n}, latency_ms: {p50, p95, n}}`.

    The latency covers answers and what was given up as too slow. A refusal that comes at
    once, such as "loading", would flatter it and is only counted.
    """
    by = Counter(call.status for call in calls)
    why = Counter(call.why for call in calls if call.status == "unavailable")
    return {
        "calls": len(calls),
        "since": _moment(calls[0].at) if calls else None,
        "notes": by["notes"],
        "nothing": by["nothing"],
        "unavailable": by["unavailable"],
        "why": dict(why.most_common()),
        "latency_ms": percentiles(call.ms for call in calls if _waited(call)),
    }


def by_day(calls: Iterable[Call]) -> dict[date, dict[str, float]]:
    """`{p50, p95, n}` of each day in UTC on which somebody asked, in order."""
    days: dict[date, list[float]] = {}
    for call in calls:
        if _waited(call):
            days.setdefault(datetime.fromtimestamp(call.at, UTC).date(), []).append(call.ms)
    return {day: percentiles(days[day]) for day in sorted(days)}


def percentiles(values: Iterable[float]) -> dict[str, float]:
    """`{p50, p95, n}`; `{n: 0}` of nothing."""
    ordered = sorted(values)
    if not ordered:
        return {"n": 0}
    last = len(ordered) - 1
    p50, p95 = ordered[round(last * 0.5)], ordered[round(last * 0.95)]
    return {"p50": round(p50, 1), "p95": round(p95, 1), "n": len(ordered)}


def _waited(call: Call) -> bool:
    return call.status != "unavailable" or call.why in WAITED


def _moment(at: float) -> str:
    """ISO 8601; the beginning of time for one that no clock of ours can have told."""
    try:
        return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError, TypeError):
        return datetime.fromtimestamp(0, UTC).isoformat(timespec="seconds")
