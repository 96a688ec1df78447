"""Calibration: ask the questions, find the floor, keep it with its judge and vault.

Nonsense: the general questions that ship and the working set's own. A general
question that scores above the median answerable one is taken for something this vault
does hold; it is left out and listed. Answerable: the working set's. A vault without
one is asked its own notes' descriptions: real users word things otherwise, so the
spread and the share answered are then flattering, and the calibration says `general`.
Held-out questions are never read here.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sqlmodel import col, select

from memory_core.benchmark.questions import (
    WORKING,
    Question,
    QuestionSet,
    general,
    load,
)
from memory_core.benchmark.score import Progress, Recaller, Result, run, silent
from memory_core.benchmark.separation import SEED, Case, Measured, find
from memory_core.errors import BadInput, NotFound
from memory_core.store.database import Database
from memory_core.store.tables import Calibration, now
from memory_core.vault.note import Note

SHOW_NOTHING = math.inf  # the pool's scores are wanted, not the cut
OWN_QUESTIONS = 40  # descriptions asked where there is no working set


def own_questions(notes: Sequence[Note]) -> list[Question]:
    """Up to `OWN_QUESTIONS` notes' descriptions as questions, drawn with a fixed seed."""
    told = [note for note in notes if note.description]
    drawn = random.Random(SEED).sample(told, min(OWN_QUESTIONS, len(told)))
    return [Question(f"own:{note.file}", note.description, note.file, kind="own") for note in drawn]


def measure(
    recall: Recaller,
    working: Sequence[Question],
    shipped: Sequence[Question],
    notes: Sequence[Note],
    *,
    margin: float,
    quiet: float | None = None,
    progress: Progress = silent,
) -> Measured:
    """Ask the questions and find the floor.

    Raises `BadInput` for a quiet share outside 0..1, `NotFound` when the vault has no
    note, `RecallUnavailable` when recall cannot run.
    """
    if quiet is not None and not 0 <= quiet <= 1:
        raise BadInput(f"quiet is {quiet}, a share lies between 0 and 1")
    real = [question for question in working if question.answerable]
    asked = [*(real or own_questions(notes)), *(q for q in working if not q.answerable)]
    if not any(question.answerable for question in asked):
        raise NotFound("there is nothing to calibrate on: the vault has no note yet")
    results = run(recall, [*asked, *shipped], SHOW_NOTHING, progress)
    cases = _cases(results)
    own, extra = cases[: len(asked)], cases[len(asked) :]
    return find(own, extra, benchmark=bool(real), margin=margin, quiet=quiet)


def _cases(results: Sequence[Result]) -> list[Case]:
    """Results as cases; where nothing was found, the lowest score of all stands."""
    lowest = min((result.best for result in results if result.best is not None), default=0.0)
    return [
        Case(
            result.id,
            result.kind,
            result.answerable,
            lowest if result.best is None else result.best,
            result.score if result.hit else None,
        )
        for result in results
    ]


def of_vault(
    recall: Recaller,
    root: Path,
    notes: Sequence[Note],
    *,
    margin: float,
    quiet: float | None = None,
    progress: Progress = silent,
) -> tuple[Measured, tuple[str, ...]]:
    """Measure a vault's floor on its working set, or without one on general questions alone.

    Also returns what could not be read of the set. Raises as `measure` does.
    """
    working = _working(root)
    found = measure(
        recall, working.questions, general().questions, notes,
        margin=margin, quiet=quiet, progress=progress,
    )  # fmt: skip
    return found, working.problems


def keep(database: Database, measured: Measured, *, judge: str, vault: str) -> Calibration:
    """Store a floor with its judge and vault; the newest of both is in force."""
    detail: dict[str, Any] = asdict(measured)
    row = Calibration(
        at=now(), judge=judge, vault=vault, floor=measured.floor,
        clearance=measured.clearance, answered=measured.answered, quiet=measured.quiet,
        separated=measured.separated, questions=measured.questions, detail=detail,
    )  # fmt: skip
    with database.write() as session:
        session.add(row)
    return row


def left_out(database: Database, judge: str, vault: str) -> frozenset[str]:
    """The general questions that the calibration in force left out as things the vault holds."""
    query = select(Calibration).where(Calibration.judge == judge, Calibration.vault == vault)
    with database.read() as session:
        row = session.exec(query.order_by(col(Calibration.id).desc()).limit(1)).first()
    return frozenset(row.detail.get("held", ())) if row else frozenset()


def best_nonsense(
    recall: Recaller, root: Path, held: Collection[str] = ()
) -> tuple[float, str, int]:
    """The best score that a nonsense question reaches today, its id, and how many were asked.

    Asked are the general questions, without those in `held` that the calibration left out, and
    the working set's own. Raises `RecallUnavailable` when recall cannot run.
    """
    shipped = [question for question in general().questions if question.id not in held]
    own = [question for question in _working(root).questions if not question.answerable]
    results = run(recall, [*own, *shipped], SHOW_NOTHING)
    found = [(result.best, result.id) for result in results if result.best is not None]
    best, worst = max(found, default=(0.0, ""))
    return best, worst, len(results)


def clearance(recall: Recaller, root: Path, floor: float, held: Collection[str] = ()) -> float:
    """Floor minus the best score that a nonsense question reaches in the vault today.

    Raises as `best_nonsense` does.
    """
    return round(floor - best_nonsense(recall, root, held)[0], 6)


def _working(root: Path) -> QuestionSet:
    try:
        return load(root, WORKING)
    except NotFound as missing:
        return QuestionSet(WORKING, (), (missing.message,))
