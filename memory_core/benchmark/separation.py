"""Separation: the floor that measured scores give, and what it does to questions it never saw.

Floor = best nonsense score + margin, the margin being a share of the spread between
the median best score of answerable and of nonsense questions. With a wanted quiet
share instead, it is the lowest floor that keeps that share of the nonsense quiet.

Answered and quiet are measured by five-fold cross-validation: the floor comes from
four folds and is tried on the fifth.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

FOLDS = 5
SEED = 20_26
LEAST_ANSWERED = 0.5  # below it there is no clean separation
OFFERED_QUIET = 0.96
STEP = 1e-6  # scores carry six decimals; a floor lies one step above what it keeps out

Rule = Callable[[Sequence["Case"]], float]


@dataclass(frozen=True, slots=True)
class Case:
    """A question's scores: `best` of any note; `right` of the right note if among the three."""

    id: str
    kind: str
    answerable: bool
    best: float
    right: float | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """A floor and what it does; shares from 0 to 1, by cross-validation.

    `separated` is false when fewer than half of the answerable questions keep their
    note: "no clean separation". `offered` is then the floor that a quiet share of .96
    would give, for a person to choose, with the share answered there.
    """

    floor: float
    clearance: float
    answered: float
    quiet: float
    separated: bool
    questions: Literal["general", "benchmark"]
    answerable: int
    nonsense: int
    answered_here: float  # on the very questions the floor was made from
    quiet_here: float
    best_nonsense: float
    best_nonsense_id: str
    median_answerable: float
    median_nonsense: float
    offered: float | None = None
    offered_answered: float | None = None
    wanted_quiet: float | None = None
    held: tuple[str, ...] = ()  # general questions left out


def find(
    own: Sequence[Case],
    general: Sequence[Case] = (),
    *,
    benchmark: bool,
    margin: float,
    quiet: float | None = None,
) -> Measured:
    """The floor of measured cases; at least one answerable and one nonsense case."""
    middle = median(case.best for case in own if case.answerable)
    held = [case for case in general if case.best > middle]
    kept = [case for case in general if case.best <= middle]
    cases = [*own, *kept] if any(not case.answerable for case in [*own, *kept]) else [*own, *held]
    rule = _strict(margin) if quiet is None else _quiet(quiet)
    floor = rule(cases)
    nonsense = [case for case in cases if not case.answerable]
    worst = max(nonsense, key=lambda case: case.best)
    answered, kept_quiet = cross_validated(cases, rule)
    separated = answered >= LEAST_ANSWERED
    offer = None if separated or quiet is not None else _quiet(OFFERED_QUIET)
    return Measured(
        floor=floor,
        clearance=round(floor - worst.best, 6),
        answered=answered,
        quiet=kept_quiet,
        separated=separated,
        questions="benchmark" if benchmark else "general",
        answerable=len(cases) - len(nonsense),
        nonsense=len(nonsense),
        answered_here=_answered(cases, floor),
        quiet_here=_kept_quiet(cases, floor),
        best_nonsense=worst.best,
        best_nonsense_id=worst.id,
        median_answerable=round(middle, 6),
        median_nonsense=round(median(case.best for case in nonsense), 6),
        offered=offer(cases) if offer else None,
        offered_answered=cross_validated(cases, offer)[0] if offer else None,
        wanted_quiet=quiet,
        held=tuple(case.id for case in held),
    )


def _strict(margin: float) -> Rule:
    def floor(cases: Sequence[Case]) -> float:
        nonsense = [case.best for case in cases if not case.answerable]
        real = [case.best for case in cases if case.answerable]
        spread = median(real) - median(nonsense) if real else 0.0
        return round(max(nonsense) + max(margin * spread, STEP), 6)

    return floor


def _quiet(wanted: float) -> Rule:
    def floor(cases: Sequence[Case]) -> float:
        nonsense = sorted(case.best for case in cases if not case.answerable)
        kept_out = math.ceil(wanted * len(nonsense) - 1e-9)
        return round(nonsense[kept_out - 1] + STEP if kept_out else nonsense[0], 6)

    return floor


def cross_validated(cases: Sequence[Case], rule: Rule) -> tuple[float, float]:
    """Shares answered and quiet, each case tried with a floor made without its fold.

    Folds are drawn with a fixed seed and hold the same mix of kinds. With a single
    nonsense question there is nothing to hold back, so the floor is tried on its makers.
    """
    count = min(FOLDS, sum(not case.answerable for case in cases))
    if count < 2:
        floor = rule(cases)
        return _answered(cases, floor), _kept_quiet(cases, floor)
    tried: list[tuple[Case, float]] = []
    for fold in folds(cases, count):
        inside = {id(case) for case in fold}
        floor = rule([case for case in cases if id(case) not in inside])
        tried += [(case, floor) for case in fold]
    answered = [passes(case, floor) for case, floor in tried if case.answerable]
    quiet = [case.best < floor for case, floor in tried if not case.answerable]
    return _share(answered), _share(quiet)


def folds(cases: Sequence[Case], count: int) -> list[list[Case]]:
    """`count` folds with the same mix of kinds; the same cases give the same folds."""
    drawn = random.Random(SEED)
    dealt: list[list[Case]] = [[] for _ in range(count)]
    turn = 0
    for kind in sorted({(case.answerable, case.kind) for case in cases}):
        group = [case for case in cases if (case.answerable, case.kind) == kind]
        drawn.shuffle(group)
        for case in group:
            dealt[turn % count].append(case)
            turn += 1
    return dealt


def passes(case: Case, floor: float) -> bool:
    """Whether an answerable case keeps its note at this floor."""
    return case.right is not None and case.right >= floor


def _answered(cases: Sequence[Case], floor: float) -> float:
    return _share([passes(case, floor) for case in cases if case.answerable])


def _kept_quiet(cases: Sequence[Case], floor: float) -> float:
    return _share([case.best < floor for case in cases if not case.answerable])


def _share(outcomes: Sequence[bool]) -> float:
    return round(sum(outcomes) / len(outcomes), 4) if outcomes else 0.0
