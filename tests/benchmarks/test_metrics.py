"""The measures on cases whose answers are known."""

from __future__ import annotations

import numpy as np

from benchmarks.recall.metrics import answered_at_quiet, auroc, bootstrap, reciprocal_rank


def test_auroc_counts_ties_half() -> None:
    assert auroc(np.array([1.0, 2.0]), np.array([1.0, 0.0])) == 0.875


def test_reciprocal_rank_stops_at_ten() -> None:
    assert reciprocal_rank(["a", "b"], {"b"}) == 0.5
    assert reciprocal_rank([str(i) for i in range(20)], {"15"}) == 0.0


def test_a_clean_separation_answers_all_and_keeps_all_quiet() -> None:
    best, nonsense = np.linspace(5, 6, 40), np.linspace(0, 1, 40)
    answered, quiet = answered_at_quiet(best, best, nonsense)
    assert answered == 1.0
    assert quiet >= 0.9


def test_an_interval_holds_the_mean() -> None:
    low, high = bootstrap(np.array([0.0, 1.0] * 50))
    assert low < 0.5 < high
