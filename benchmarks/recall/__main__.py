"""Measure recall: the working set by kind, LoCoMo evidence, the gate, latency, intervals."""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.recall.measure import SYSTEMS, Bench, Outcome
from benchmarks.recall.metrics import (
    answered_at_quiet,
    auroc,
    bootstrap,
    hit_at,
    recall_at,
    reciprocal_rank,
)
from benchmarks.recall.sets import Corpus, locomo, working
from memory_core.recall.recall import Models
from memory_core.settings import load

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
            result[system]["vs RRF"] = {n: _interval(d) for n, d in pairs if n in names[1::4]}
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


def measured(corpora: list[Corpus], models: Models, threads: int) -> list[Outcome]:
    """Ask all questions of some corpora."""
    found: list[Outcome] = []
    for corpus in corpora:
        settings = load().model_copy(update={"threads": threads})
        found += Bench(corpus, settings, models).outcomes(lambda line: print(line, flush=True))
    return found


def main() -> None:
    """Print, and write if asked, what recall reaches."""
    parser = argparse.ArgumentParser(prog="benchmarks.recall", description=__doc__)
    parser.add_argument("--working", type=Path, help="folder with notes and questions.jsonl")
    parser.add_argument("--locomo", type=Path, help="folder with LoCoMo's conversations")
    parser.add_argument("--conversations", nargs="+", default=["26", "30", "49"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    models = Models.load(load())
    result: Numbers = {"problem": models.problem} if models.problem else {}
    if args.working:
        outcomes = measured([working(args.working)], models, args.threads)
        result["working"] = {**order(outcomes), "hit@3 by kind": by_kind(outcomes)}
        result["working"] |= {"gate": gate(outcomes), "latency ms": latency(outcomes)}
    if args.locomo:
        outcomes = measured(locomo(args.locomo, args.conversations), models, args.threads)
        result["locomo"] = {**order(outcomes), "latency ms": latency(outcomes)}
    text = json.dumps(result, indent=1)
    print(text)
    if args.out:
        args.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
