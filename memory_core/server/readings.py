"""What the server measures of itself: latencies by stage, counts, memory, earlier deaths.

Of a request only its milliseconds and its outcome are kept, never a word.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter, deque
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from memory_core import paths
from memory_core.readings import hook_calls
from memory_core.readings.hook_calls import WINDOW, percentiles
from memory_core.server.metrics import Metrics
from memory_core.store.calls import Call, Calls

_KEPT_LINES = 200


class Readings:
    """Counts since the start, and milliseconds of the last `WINDOW` recalls by stage.

    The front hook's calls are kept beyond a restart once `attach` gave them a place.
    """

    def __init__(self) -> None:
        self.started = time.time()
        self.metrics = Metrics()
        self._counts: Counter[str] = Counter()
        self._recalls: deque[Mapping[str, float]] = deque(maxlen=WINDOW)
        self._hook_calls: deque[Call] = deque(maxlen=WINDOW)
        self._unkept: deque[Call] = deque(maxlen=WINDOW)
        self._calls: Calls | None = None
        self._starts = Starts()
        self._restarts = self._starts.note_start()

    def attach(self, calls: Calls) -> None:
        """Read the front hook's earlier calls and keep the coming ones there."""
        self._hook_calls.extendleft(reversed(calls.last(WINDOW - len(self._hook_calls))))
        self._calls = calls
        self.keep()

    def count(self, name: str, number: int = 1) -> None:
        """Add to a count."""
        self._counts[name] += number
        self.metrics.count(name, number)

    def recall(self, status: str, stages: Mapping[str, float], why: str = "") -> None:
        """Record one recall: its outcome, milliseconds by stage, the kind of reason.

        A stage "hook" marks a call of the front hook.
        """
        self._counts["recall"] += 1
        self._counts[f"recall {status}"] += 1
        self._recalls.append(dict(stages))
        self.metrics.recall(status, stages, why)
        if "hook" in stages:
            call = Call(time.time(), status, why, stages["hook"])
            self._hook_calls.append(call)
            self._unkept.append(call)

    def keep(self) -> None:
        """Write down the front hook's calls that are not yet; may wait for the disk."""
        if self._calls is None:
            return
        waiting = []
        while self._unkept:
            waiting.append(self._unkept.popleft())
        if waiting:
            self._calls.add(waiting)

    def note_stop(self) -> None:
        """The server ends in good order."""
        self.keep()
        self._starts.note_stop()

    def as_json(self) -> dict[str, Any]:
        """`{latency_ms: {stage: {p50, p95, n}}, hooks, counts, starts, restarts, ...}`.

        `hooks` as `hook_calls.told`; the stage "hook" is its latency.
        """
        recalls, hooks = list(self._recalls), hook_calls.told(list(self._hook_calls))
        stages = sorted({stage for recall in recalls for stage in recall} - {"hook"})
        latency = {
            stage: percentiles(one[stage] for one in recalls if stage in one) for stage in stages
        }
        return {
            "latency_ms": latency | {"hook": hooks["latency_ms"]},
            "hooks": hooks,
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


def resident_megabytes() -> float:
    """Memory that this process holds, in MB; the peak where the system tells no more."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)
    except (OSError, ValueError, IndexError):
        import resource

        return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 1)
