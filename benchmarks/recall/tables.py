"""Tables of what recall reaches: order, kinds, gate and latency."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.recall.measure import SYSTEMS, Outcome
from benchmarks.recall.metrics import (
    answered_at_quiet,
    auroc,
    bootstrap,
    hit_at,
    recall_at,
    reciprocal_rank,
)

Numbers = dict[str, Any]


def order(outcomes: Sequence[Outcome]) -> Numbers:
    """Recall, hits and MRR of every system, with intervals against rank fusion."""
    asked = [outcome for outcome in outcomes if outcome.question.right]
    table = {system: np.array([_one(o, system) for o in asked]) for system in SYSTEMS}
    names = ("hit@1", "hit@3", "recall@1", "recall@3", "recall@10", "MRR")
    result: Numbers = {"questions": len(asked)}
    for system, rows in table.items():
        result[system] = dict(zip(names, rows.mean(0).round(3).tolist(), strict=True))
        if system != "RRF":
            pairs = zip(names, (rows - table["RRF"]).T, strict=True)
            result[system]["vs RRF"] = {name: _interval(each) for name, each in pairs}
    pooled = [bool(o.question.right & o.pool) for o in asked]
    result["right in the pool"] = round(float(np.mean(pooled)), 3)
    return result


def _one(outcome: Outcome, system: str) -> list[float]:
    found, right = outcome.by[system].sources, outcome.question.right
    hits = [hit_at(found, right, k) for k in (1, 3)]
    recalls = [recall_at(found, right, k) for k in (1, 3, 10)]
    return [*hits, *recalls, reciprocal_rank(found, right)]


def _interval(difference: np.ndarray) -> list[float]:
    low, high = bootstrap(difference)
    return [round(float(difference.mean()), 3), round(low, 3), round(high, 3)]


def by_kind(outcomes: Sequence[Outcome]) -> Numbers:
    """Hit@3 of every system, and the pool, by kind of question."""
    kinds: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.question.right:
            kinds[outcome.question.kind].append(outcome)
    return {kind: _kind(rows) for kind, rows in kinds.items()}


def _kind(rows: list[Outcome]) -> Numbers:
    found: Numbers = {"questions": len(rows)}
    for system in SYSTEMS:
        hits = [hit_at(o.by[system].sources, o.question.right, 3) for o in rows]
        found[system] = round(float(np.mean(hits)), 3)
    found["pool"] = round(float(np.mean([bool(o.question.right & o.pool) for o in rows])), 3)
    return found


def gate(outcomes: Sequence[Outcome], quiet: float = 0.96) -> Numbers:
    """How well a floor tells questions with an answer from nonsense, by system."""
    asked = [outcome for outcome in outcomes if outcome.question.right]
    nonsense = [outcome for outcome in outcomes if not outcome.question.right]
    result: Numbers = {}
    for system in [s for s in SYSTEMS if s != "RRF"]:
        best = np.array([o.by[system].best for o in asked])
        third = np.array([_shown(o, system) for o in asked])
        none = np.array([o.by[system].best for o in nonsense])
        answered, kept = answered_at_quiet(best, third, none, quiet)
        result[system] = {
            "AUROC": round(auroc(best, none), 3),
            "answered": round(answered, 3),
            "quiet": round(kept, 3),
        }
    return result


def _shown(outcome: Outcome, system: str) -> float:
    """The score of the right note if it is among the first three."""
    found = outcome.by[system]
    top = zip(found.sources[:3], found.scores, strict=False)
    return max((score for s, score in top if s in outcome.question.right), default=-99.0)


def latency(outcomes: Sequence[Outcome]) -> Numbers:
    """Median and 95th percentile of every stage in milliseconds."""
    stages: dict[str, list[float]] = defaultdict(list)
    for outcome in outcomes:
        for name, took in outcome.stages.items():
            stages[name].append(took)
    return {
        name: [round(float(np.percentile(took, q)), 1) for q in (50, 95)]
        for name, took in stages.items()
    }
