"""What the server measures of itself: latencies by stage, counts, memory, earlier deaths."""

from __future__ import annotations

import json
import os
import time
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from memory_core import paths

WINDOW = 500  # recalls that the percentiles cover
_KEPT_LINES = 200


class Readings:
    """Counts since the start, and milliseconds of the last `WINDOW` recalls by stage."""

    def __init__(self) -> None:
        self.started = time.time()
        self._counts: Counter[str] = Counter()
        self._recalls: deque[Mapping[str, float]] = deque(maxlen=WINDOW)
        self._starts = Starts()
        self._restarts = self._starts.note_start()

    def count(self, name: str, number: int = 1) -> None:
        """Add to a count."""
        self._counts[name] += number

    def recall(self, status: str, stages: Mapping[str, float]) -> None:
        """Record one recall: its outcome and the milliseconds of its stages."""
        self._counts["recall"] += 1
        self._counts[f"recall {status}"] += 1
        self._recalls.append(dict(stages))

    def note_stop(self) -> None:
        """The server ends in good order."""
        self._starts.note_stop()

    def as_json(self) -> dict[str, Any]:
        """`{latency_ms: {stage: {p50, p95, n}}, counts, starts, restarts, uptime_s, rss_mb}`."""
        stages = sorted({stage for recall in list(self._recalls) for stage in recall})
        return {
            "latency_ms": {
                stage: _percentiles(one[stage] for one in list(self._recalls) if stage in one)
                for stage in stages
            },
            "counts": dict(self._counts),
            **self._restarts,
            "uptime_s": round(time.time() - self.started, 1),
            "rss_mb": resident_megabytes(),
        }


class Starts:
    """`server.starts`: a line for each start and each orderly end of the server.

    A start that follows a start means that the process between was killed or crashed.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or paths.home() / "server.starts"

    def note_start(self) -> dict[str, Any]:
        """Record a start; returns `{starts, restarts, last_restart}` of the kept lines.

        `restarts` counts the starts after a death; `last_restart` is ISO 8601 or None.
        """
        lines = [*self._lines(), _line("start")][-_KEPT_LINES:]
        temporary = self._file.with_suffix(".tmp")
        temporary.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        temporary.replace(self._file)
        deaths = [
            after["at"]
            for before, after in pairwise(lines)
            if before["what"] == after["what"] == "start"
        ]
        return {
            "starts": sum(line["what"] == "start" for line in lines),
            "restarts": len(deaths),
            "last_restart": deaths[-1] if deaths else None,
        }

    def note_stop(self) -> None:
        """Record an orderly end."""
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(_line("stop")) + "\n")

    def _lines(self) -> list[dict[str, Any]]:
        try:
            raw = self._file.read_text("utf-8", "replace").splitlines()
        except OSError:
            return []
        parsed = (_parsed(line) for line in raw)
        return [line for line in parsed if {"what", "at"} <= line.keys()]


def _line(what: str) -> dict[str, Any]:
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return {"what": what, "at": at, "pid": os.getpid()}


def _parsed(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _percentiles(values: Iterable[float]) -> dict[str, float]:
    ordered = sorted(values)
    if not ordered:
        return {"n": 0}
    last = len(ordered) - 1
    p50, p95 = ordered[round(last * 0.5)], ordered[round(last * 0.95)]
    return {"p50": round(p50, 1), "p95": round(p95, 1), "n": len(ordered)}


def resident_megabytes() -> float:
    """Memory that this process holds, in MB; the peak where the system tells no more."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)
    except (OSError, ValueError, IndexError):
        import resource

        return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 1)
