"""Evaluate a pair of deltas in batches: held-out fields, and test sets given as folders."""

from __future__ import annotations

import argparse
import json
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from benchmarks.recall.measure import Outcome, ranking
from benchmarks.recall.sets import Corpus as Asked
from benchmarks.recall.sets import locomo, working
from benchmarks.recall.tables import Numbers, by_kind, gate, order
from memory_core.recall import shipped
from memory_core.recall.pool import fusion
from training.common import AUTHORED, WORK, say
from training.data import load_notes
from training.judge import FEATURES, held_out
from training.legs import POOL, REACH, Corpus, Pool
from training.network import load_embedder, load_reranker


@dataclass
class Judge:
    """Weights read from a judge file."""

    weights: dict[str, float]
    intercept: float

    @classmethod
    def read(cls, path: Path) -> Judge:
        """Read `judge.json`."""
        row = json.loads(path.read_text(encoding="utf-8"))
        return cls(dict(zip(row["features"], row["weights"], strict=True)), row["intercept"])

    def score(self, pool: Pool, features: Sequence[str] = FEATURES) -> np.ndarray:
        """One score a candidate, from all features that the pool has or from some."""
        names = [name for name in features if len(getattr(pool, name)) == len(pool.places)]
        parts = [self.weights.get(name, 0.0) * getattr(pool, name) for name in names]
        return np.sum(parts, axis=0) + self.intercept


def pools_of(
    asked: Asked, embedder: torch.nn.Module, reranker: torch.nn.Module | None, size: int
) -> list[Pool]:
    """Run the legs and the cross-encoder over a corpus."""
    corpus = Corpus(asked.sources, embedder)
    pools = corpus.pools([question.text for question in asked.questions], size)
    if reranker is not None:
        corpus.judge(reranker, pools)
    return pools


def outcomes(asked: Asked, pools: list[Pool], judge: Judge) -> list[Outcome]:
    """Order every pool by every system."""
    return [
        _outcome(Outcome(question), pool, judge)
        for question, pool in zip(asked.questions, pools, strict=True)
    ]


def _outcome(outcome: Outcome, pool: Pool, judge: Judge) -> Outcome:
    names = [place.source for place in pool.places]
    fused = fusion(pool.by_words, pool.by_meaning, size=REACH, per_source=1)
    logits = pool.logit if len(pool.logit) else pool.cosine
    outcome.by = {
        "BM25": ranking((hit.place.source, hit.value) for hit in pool.by_words),
        "dense": ranking((hit.place.source, hit.value) for hit in pool.by_meaning),
        "RRF": ranking((place.source, 1 / at) for at, place in enumerate(fused, 1)),
        "cross-encoder": ranking(zip(names, logits.tolist(), strict=True)),
        "judge without it": ranking(
            zip(names, judge.score(pool, FEATURES[1:]).tolist(), strict=True)
        ),
        "judge": ranking(zip(names, judge.score(pool).tolist(), strict=True)),
    }
    outcome.pool = set(names)
    return outcome


def tables(name: str, asked: list[Asked], found: list[list[Pool]], judge: Judge) -> Numbers:
    """Return what a set reaches."""
    every = [o for a, pools in zip(asked, found, strict=True) for o in outcomes(a, pools, judge)]
    result = order(every)
    if name != "locomo":
        result |= {"by kind": by_kind(every), "gate": gate(every)}
    return result


def main() -> None:
    """Evaluate on the sets that are given; pools are kept, so that a new judge costs nothing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embedder", type=Path)
    parser.add_argument("--reranker", type=Path)
    parser.add_argument("--judge", type=Path, default=shipped.MODELS / "judge.json")
    parser.add_argument("--dev", action="store_true", help="the held-out authored fields")
    parser.add_argument("--working", type=Path, help="a vault with a working set")
    parser.add_argument("--locomo", type=Path)
    parser.add_argument("--conversations", nargs="+", default=["26", "30", "49"])
    parser.add_argument("--pool", type=int, default=POOL)
    parser.add_argument("--legs-only", action="store_true", help="leave the cross-encoder out")
    parser.add_argument("--tag", default="now", help="name of the kept pools")
    parser.add_argument("--smoke", action="store_true", help="a few held-out requests only")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    sets = {"dev": [held_out(load_notes(AUTHORED))] if args.dev or args.smoke else []}
    if args.smoke:
        sets["dev"][0].questions = sets["dev"][0].questions[::12]
    sets |= {"working": [working(args.working)] if args.working else []}
    sets["locomo"] = locomo(args.locomo, args.conversations) if args.locomo else []
    for name, asked in sets.items():
        if asked:
            found = _kept(WORK / f"pools-{args.tag}-{name}.pickle", asked, args)
            say(f"{name} {json.dumps(tables(name, asked, found, Judge.read(args.judge)))}")


def _kept(path: Path, asked: list[Asked], args: argparse.Namespace) -> list[list[Pool]]:
    if path.exists():
        return list(pickle.loads(path.read_bytes()))
    embedder = load_embedder(args.embedder)
    reranker = None if args.legs_only else load_reranker(args.reranker)
    found = [pools_of(corpus, embedder, reranker, args.pool) for corpus in asked]
    path.write_bytes(pickle.dumps(found))
    return found


if __name__ == "__main__":
    main()
