"""The readings in Prometheus's text format, made by its own client library.

Counters and histograms count from the start of the process, as Prometheus expects; gauges
are read from `Gauge` rows at each scrape. No label holds a request, a note or a name.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

BUCKETS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.5, 2.5, 5.0, 10.0)


class Gauge(NamedTuple):
    """One value of now; `labels` tell the rows of a name apart. NaN or None = not known."""

    name: str
    help: str
    value: float | None
    labels: Mapping[str, str] = {}


class Metrics:
    """What the server counts of itself; a registry of its own, so that servers do not mix."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector

        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self._recalls = Counter(
            "wellkept_recalls", "Recalls by who asked and how they ended.", ["caller", "status"],
            registry=registry,
        )  # fmt: skip
        self._refused = Counter(
            "wellkept_recalls_unavailable", "Recalls that could not run, by kind of reason.",
            ["caller", "reason"], registry=registry,
        )  # fmt: skip
        self._hook = Histogram(
            "wellkept_front_hook_seconds",
            "From the start of the front hook's process to the server's answer.",
            buckets=BUCKETS, registry=registry,
        )  # fmt: skip
        self._stages = Histogram(
            "wellkept_recall_stage_seconds", "Recalls by stage; whole = all of it in the server.",
            ["stage"], buckets=BUCKETS, registry=registry,
        )  # fmt: skip
        self._tools = Counter(
            "wellkept_tool_calls", "Calls of the agent's tools.", ["tool"], registry=registry
        )
        self._texts = Counter(
            "wellkept_model_texts", "Texts that routines had embedded or re-ranked.", ["work"],
            registry=registry,
        )  # fmt: skip

    def recall(self, status: str, stages: Mapping[str, float], why: str) -> None:
        """Count one recall; `stages` are milliseconds."""
        caller = "hook" if "hook" in stages else "other"
        self._recalls.labels(caller, status).inc()
        if status == "unavailable":
            self._refused.labels(caller, why or "other").inc()
        for stage, ms in stages.items():
            if stage == "hook":
                self._hook.observe(ms / 1000)
            else:
                name = "whole" if stage == "server" else stage
                self._stages.labels(name).observe(ms / 1000)

    def count(self, name: str, number: int) -> None:
        """Count work that is no recall: `tool NAME`, `embedded`, `reranked`."""
        if name.startswith("tool "):
            self._tools.labels(name.removeprefix("tool ")).inc(number)
        else:
            self._texts.labels(name).inc(number)

    def text(self, gauges: Iterable[Gauge]) -> tuple[bytes, str]:
        """The exposition and its content type."""
        from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
        from prometheus_client import Gauge as Shown

        now = CollectorRegistry()
        known: dict[str, Shown] = {}
        for row in gauges:
            names = tuple(row.labels)
            if row.name not in known:
                known[row.name] = Shown(f"wellkept_{row.name}", row.help, names, registry=now)
            family = known[row.name]
            shown = family.labels(*row.labels.values()) if names else family
            shown.set(math.nan if row.value is None else row.value)
        return generate_latest(self._registry) + generate_latest(now), CONTENT_TYPE_LATEST
