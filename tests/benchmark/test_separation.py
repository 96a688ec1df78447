"""The floor lies above the nonsense, and what it does is measured on unseen folds."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from memory_core.benchmark.separation import (
    FOLDS,
    Case,
    cross_validated,
    find,
    folds,
)


def _real(*scores: float, kept: bool = True) -> list[Case]:
    return [
        Case(f"r{n}", "direct", True, score, score if kept else None)
        for n, score in enumerate(scores)
    ]


def _nonsense(*scores: float, prefix: str = "n") -> list[Case]:
    return [Case(f"{prefix}{n}", "nonsense", False, score) for n, score in enumerate(scores)]


def test_the_margin_is_a_share_of_the_spread_of_the_medians() -> None:
    found = find([*_real(8, 9, 10), *_nonsense(-1, 0, 2)], benchmark=True, margin=0.1)
    assert (found.floor, found.clearance) == (2.9, 0.9)
    assert (found.best_nonsense_id, found.answered_here, found.quiet_here) == ("n2", 1.0, 1.0)
    assert found.separated


def test_without_a_margin_the_best_nonsense_is_still_kept_out() -> None:
    found = find([*_real(3), *_nonsense(3, 1)], benchmark=True, margin=0)
    assert found.floor > 3
    assert found.quiet_here == 1.0


def test_a_wanted_quiet_share_gives_the_lowest_floor_that_keeps_it() -> None:
    cases = [*_real(4.5, 9), *_nonsense(*range(10))]
    found = find(cases, benchmark=True, margin=0.1, quiet=0.8)
    assert math.isclose(found.floor, 7, abs_tol=1e-5)
    assert (found.quiet_here, found.clearance < 0, found.wanted_quiet) == (0.8, True, 0.8)
    assert find(cases, benchmark=True, margin=0.1, quiet=0).quiet_here == 0.0
    assert find(cases, benchmark=True, margin=0.1, quiet=1).quiet_here == 1.0


def test_no_clean_separation_is_said_and_another_floor_offered() -> None:
    cases = [*_real(*[4.0] * 10), *_nonsense(*[1.0] * 98, 5.0, 6.0)]
    found = find(cases, benchmark=True, margin=0.1)
    assert not found.separated
    assert found.answered < 0.5
    assert found.offered is not None
    assert math.isclose(found.offered, 1, abs_tol=1e-5)
    assert found.offered_answered == 1.0


def test_a_right_note_below_the_third_place_is_never_answered() -> None:
    found = find([*_real(9, 9, kept=False), *_nonsense(0, 1)], benchmark=True, margin=0.1)
    assert (found.answered, found.separated) == (0.0, False)


def test_general_questions_that_the_vault_holds_do_not_lift_the_floor() -> None:
    general = _nonsense(0, 1, 99, prefix="general-")
    found = find(_real(8, 9, 10), general, benchmark=False, margin=0.1)
    assert found.held == ("general-2",)
    assert found.floor < 3
    assert (found.questions, found.nonsense) == ("general", 2)


def test_the_users_own_nonsense_is_never_left_out() -> None:
    found = find([*_real(1), *_nonsense(5, 6)], benchmark=True, margin=0.1)
    assert (found.held, found.best_nonsense) == ((), 6)


def test_one_nonsense_question_is_enough() -> None:
    found = find([*_real(5), *_nonsense(1)], benchmark=True, margin=0.1)
    assert (found.answered, found.quiet) == (1.0, 1.0)


def test_cross_validation_tries_a_floor_on_cases_it_did_not_see() -> None:
    cases = [*_real(*[10.0] * 10), *_nonsense(*[0.0] * 9, 8.0)]
    found = find(cases, benchmark=True, margin=0.1)
    assert found.quiet_here == 1.0
    assert found.quiet == 0.9  # the outlier is loud when its own fold is held back


_SCORES = st.lists(st.floats(-20, 20).map(lambda value: round(value, 6)), min_size=1, max_size=30)


@given(_SCORES, _SCORES, st.floats(0, 1), st.none() | st.floats(0, 1))
def test_floor_laws(
    real: list[float], nonsense: list[float], margin: float, quiet: float | None
) -> None:
    cases = [*_real(*real), *_nonsense(*nonsense)]
    found = find(cases, benchmark=True, margin=margin, quiet=quiet)
    assert math.isclose(found.clearance, found.floor - max(nonsense), abs_tol=1e-5)
    if quiet is None:
        assert found.quiet_here == 1.0
        assert found.clearance > 0
    else:
        assert found.quiet_here >= round(quiet, 4) - 1e-4
    for share in (found.answered, found.quiet, found.answered_here):
        assert 0 <= share <= 1
    assert find(cases, benchmark=True, margin=margin, quiet=quiet) == found


@given(_SCORES, _SCORES)
def test_folds_hold_every_case_once_with_the_same_mix(
    real: list[float], nonsense: list[float]
) -> None:
    cases = [*_real(*real), *_nonsense(*nonsense)]
    dealt = folds(cases, FOLDS)
    assert sorted(id(case) for fold in dealt for case in fold) == sorted(map(id, cases))
    for answerable in (True, False):
        counts = [sum(case.answerable is answerable for case in fold) for fold in dealt]
        assert max(counts) - min(counts) <= 1


def test_nothing_answerable_is_a_share_of_zero() -> None:
    assert cross_validated(_nonsense(1, 2, 3), lambda _: 9.0) == (0.0, 1.0)
