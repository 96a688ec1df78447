"""Measures of a ranking and of a gate, with intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Floats = np.ndarray


def recall_at(found: Sequence[str], right: set[str], k: int) -> float:
    """Share of the right sources among the first k."""
    return len(right & set(found[:k])) / len(right)


def hit_at(found: Sequence[str], right: set[str], k: int) -> float:
    """1 if any right source is among the first k."""
    return float(bool(right & set(found[:k])))


def reciprocal_rank(found: Sequence[str], right: set[str], k: int = 10) -> float:
    """One over the rank of the first right source among k."""
    return next((1 / (i + 1) for i, source in enumerate(found[:k]) if source in right), 0.0)


def auroc(positive: Floats, negative: Floats) -> float:
    """Chance that a positive scores above a negative; ties count half."""
    ordered = np.sort(negative)
    below = np.searchsorted(ordered, positive, "left") + np.searchsorted(ordered, positive, "right")
    return float((below / 2 / len(ordered)).mean())


def answered_at_quiet(
    best: Floats, right: Floats, nonsense: Floats, quiet: float = 0.96, folds: int = 5
) -> tuple[float, float]:
    """Share answered with the right note and share kept quiet, floor cross-validated.

    `best` is the best score of each answerable question, `right` whether its note is among
    the three whose scores pass; the floor comes from four folds of nonsense, the fifth is
    measured.
    """
    answered, kept = [], []
    for fold in range(folds):
        seen = nonsense[np.arange(len(nonsense)) % folds != fold]
        floor = np.quantile(seen, quiet, method="higher")
        here = np.arange(len(best)) % folds == fold
        answered += list((right[here] > floor).astype(float))
        kept += list((nonsense[np.arange(len(nonsense)) % folds == fold] <= floor).astype(float))
    return float(np.mean(answered)), float(np.mean(kept))


def bootstrap(difference: Floats, draws: int = 4_000, seed: int = 0) -> tuple[float, float]:
    """A 95 % interval of a paired mean difference."""
    rng = np.random.default_rng(seed)
    picks = rng.integers(0, len(difference), (draws, len(difference)))
    low, high = np.percentile(difference[picks].mean(1), [2.5, 97.5])
    return float(low), float(high)
