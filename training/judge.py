"""Fit the judge on held-out fields: one raw score from the logit and the legs' values."""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from scipy.optimize import minimize

from benchmarks.recall.metrics import answered_at_quiet, auroc
from benchmarks.recall.sets import Corpus as Asked
from benchmarks.recall.sets import Question
from training.common import AUTHORED, WORK, say
from training.data import DEV_FIELDS, Note, Request, load_notes, split
from training.legs import Corpus, Pool, source_of
from training.network import load_embedder, load_reranker

FEATURES = ("logit", "cosine", "words", "distinct")
DISTRACTORS, FOREIGN = 75, 80
# A score is this many times the fitted log odds, without the intercept, which no order and
# no floor needs: routing of findings relies on the distance between scores.
SCALE = 2.0
SCALES = {"logit": 2.0, "cosine": 0.15, "words": 6.0, "distinct": 6.0}


def held_out(notes: list[Note], seed: int = 5) -> Asked:
    """The held-out vault as a set that is asked like any other."""
    inside, asked = vault(notes, seed)
    questions = [
        Question(request.text, {note.key} if request.points else set(), request.kind)
        for note, request in asked
    ]
    return Asked("held out", [source_of(note) for note in inside], questions)


@dataclass
class Case:
    """A request with its pool; `right` tells which candidates answer."""

    note: str
    kind: str
    pool: Pool
    values: np.ndarray
    right: np.ndarray


def vault(notes: list[Note], seed: int) -> tuple[list[Note], list[tuple[Note, Request]]]:
    """Held-out notes among distractors, and their requests with some foreign ones."""
    rng = random.Random(seed)
    train, held = split(notes)
    train = [note for note in train if not note.dialogue]
    fields = sorted({note.field for note in train})
    near = set(rng.sample(fields, len(fields) // 2))
    inside = rng.sample([note for note in train if note.field in near], DISTRACTORS)
    outside = [note for note in train if note.field not in near]
    asked = [(note, request) for note in held for request in note.requests]
    foreign = [rng.choice(rng.choice(outside).requests).text for _ in range(FOREIGN)]
    nowhere = Note("nowhere", "foreign", "", [])
    asked += [(nowhere, Request(text, "foreign", frozenset())) for text in foreign]
    return held + inside, asked


def cases(
    notes: list[Note],
    embedder: torch.nn.Module,
    reranker: torch.nn.Module,
    every: int = 1,
    seed: int = 5,
) -> list[Case]:
    """Run the legs and the cross-encoder over the held-out vault."""
    inside, asked = vault(notes, seed)
    asked = asked[::every]
    corpus = Corpus([source_of(note) for note in inside], embedder)
    pools = corpus.pools([request.text for _, request in asked])
    corpus.judge(reranker, pools)
    packed = {note.key: note.single() for note in inside}
    found = []
    for (note, request), pool in zip(asked, pools, strict=True):
        answers = [packed[p.source][p.ordinal].answers(note.key, request) for p in pool.places]
        found.append(Case(note.key, request.kind, pool, features(pool), np.array(answers)))
    return found


def features(pool: Pool) -> np.ndarray:
    """One row a candidate, one column a feature."""
    return np.stack([getattr(pool, name) for name in FEATURES], 1)


def fit(found: Sequence[Case], ridge: float = 0.003) -> tuple[np.ndarray, float]:
    """Return non-negative weights and an intercept: each pair for itself, and the order."""
    scale = np.array([SCALES[name] for name in FEATURES])
    rows = np.concatenate([case.values for case in found]) / scale
    right = np.concatenate([case.right for case in found]).astype(float)
    starts = np.cumsum([0] + [len(case.right) for case in found])
    weight = np.where(right > 0, 3.0, 1.0) / len(found)

    def loss(theta: np.ndarray) -> float:
        scores = rows @ theta[:-1]
        gate = (weight * np.logaddexp(0, -(2 * right - 1) * (scores + theta[-1]))).sum()
        return float(gate + _order(scores, right, starts) + ridge * (theta[:-1] ** 2).sum())

    bounds = [(0.0, None)] * len(FEATURES) + [(None, None)]
    best = minimize(loss, np.array([1.0] * len(FEATURES) + [-3.0]), bounds=bounds)
    return best.x[:-1] / scale, float(best.x[-1])


def _order(scores: np.ndarray, right: np.ndarray, starts: np.ndarray) -> float:
    losses = []
    for start, end in itertools.pairwise(starts):
        part, good = scores[start:end], right[start:end] > 0
        if good.any():
            total = np.logaddexp.reduce(part)
            losses.append(total - np.logaddexp.reduce(part[good]))
    return float(np.mean(losses))


@dataclass
class Verdict:
    """What a way of scoring reaches on cases."""

    hit_at_3: float
    auroc: float
    answered: float
    quiet: float


def verdict(found: Sequence[Case], scores: Sequence[np.ndarray]) -> Verdict:
    """Measure order and gate."""
    hits, third, best, nonsense = [], [], [], []
    for case, score in zip(found, scores, strict=True):
        if case.kind in ("unanswerable", "foreign"):
            nonsense.append(score.max(initial=-99.0))
            continue
        ranked: dict[str, float] = {}
        for i in np.argsort(-score, kind="stable"):
            ranked.setdefault(case.pool.places[i].source, float(score[i]))
        own = ranked.get(case.note, -99.0)
        hit = case.note in list(ranked)[:3]
        hits.append(float(hit))
        third.append(own if hit else -99.0)
        best.append(max(ranked.values(), default=-99.0))
    arrays = np.array(best), np.array(third), np.array(nonsense)
    answered, quiet = answered_at_quiet(*arrays)
    return Verdict(float(np.mean(hits)), auroc(arrays[0], arrays[2]), answered, quiet)


def crossed(found: list[Case], folds: int = 5) -> list[np.ndarray]:
    """Score every case with weights fitted on the other folds (folds by note)."""
    keys = sorted({case.note for case in found})
    fold = {key: i % folds for i, key in enumerate(keys)}
    fold["nowhere"] = -1
    scores: list[np.ndarray] = [np.zeros(0)] * len(found)
    for number in range(folds):
        weights, intercept = fit([case for case in found if fold[case.note] != number])
        for i, case in enumerate(found):
            if fold[case.note] in (number, -1):
                scores[i] = case.values @ weights + intercept
    return scores


def absent(found: Sequence[Case], weights: np.ndarray) -> dict[str, float]:
    """Logit and cosine of the best candidate where nothing answers, as medians.

    They stand in for both where the models cannot read a request.
    """
    best = [
        case.values[int(np.argmax(case.values @ weights))]
        for case in found
        if case.kind in ("unanswerable", "foreign") and len(case.values)
    ]
    middle = np.median(np.array(best), 0)
    return {
        name: round(float(value), 4)
        for name, value in zip(FEATURES, middle, strict=True)
        if name in ("logit", "cosine")
    }


def write(weights: np.ndarray, missing: dict[str, float], fitted_on: str, path: Path) -> None:
    """Write the judge with a revision that follows from its numbers."""
    numbers = [round(SCALE * float(weight), 6) for weight in weights]
    document = {
        "features": list(FEATURES),
        "weights": numbers,
        "intercept": 0.0,
        "absent": missing,
        "fitted_on": fitted_on,
    }
    digest = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
    document["revision"] = digest[:12]
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Fit the judge for two deltas and show what each part reaches."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=Path, default=AUTHORED)
    parser.add_argument("--embedder", type=Path, required=True)
    parser.add_argument("--reranker", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=WORK / "judge.json")
    parser.add_argument("--every", type=int, default=1, help="take each n-th request only")
    parser.add_argument("--smoke", action="store_true", help="a few requests, to see that it runs")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    args.every = max(args.every, 12) if args.smoke else args.every
    torch.set_num_threads(args.threads)
    notes = load_notes(args.notes)
    found = cases(notes, load_embedder(args.embedder), load_reranker(args.reranker), args.every)
    for name, scores in ablations(found).items():
        say(f"{name:12s} {verdict(found, scores)}")
    weights, _ = fit(found)
    fields = ", ".join(sorted(DEV_FIELDS))
    asked = f"{len(found)} requests, held out of all training"
    fitted_on = f"authored notes of the fields {fields}: {asked}"
    write(weights, absent(found, weights), fitted_on, args.out)
    say(args.out.read_text(encoding="utf-8"))


def ablations(found: list[Case]) -> dict[str, list[np.ndarray]]:
    """Each feature alone, the linear rule of the study, and the fitted judge, crossed."""
    alone = {name: [case.values[:, i] for case in found] for i, name in enumerate(FEATURES)}
    rule = [case.pool.logit + 20 * case.pool.cosine + 0.3 * case.pool.words for case in found]
    return {**alone, "study's rule": rule, "judge": crossed(found)}


if __name__ == "__main__":
    main()
