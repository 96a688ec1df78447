"""Both sets scored together: the working set with its questions, the held-out set in numbers.

The only way from a routine to the held-out set.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memory_core.benchmark import heldout, history, questions, trend
from memory_core.benchmark.asking import Asker
from memory_core.benchmark.heldout import HeldoutScore
from memory_core.benchmark.history import About
from memory_core.benchmark.questions import Question
from memory_core.benchmark.score import Progress, Result, silent
from memory_core.benchmark.trend import Trend
from memory_core.errors import NotFound
from memory_core.store.database import Database
from memory_core.store.tables import BenchmarkRun

__all__ = ["About", "HeldoutScore", "Scored", "Working", "score_sets", "score_working"]


@dataclass(frozen=True, slots=True)
class Working:
    """A stored run of the working set; `problems` names the lines that could not be read."""

    run: BenchmarkRun
    questions: tuple[Question, ...]
    results: tuple[Result, ...]
    problems: tuple[str, ...]
    skipped: int

    @property
    def by_id(self) -> Mapping[str, Result]:
        """The results by question id."""
        return {result.id: result for result in self.results}


@dataclass(frozen=True, slots=True)
class Scored:
    """Both sets; None for one without questions, and `notices` then says so in a line each."""

    working: Working | None
    heldout: HeldoutScore | None
    trend: Trend
    notices: tuple[str, ...] = ()


def score_sets(
    database: Database, root: Path, about: About, ask: Asker, progress: Progress = silent
) -> Scored:
    """Ask both sets, keep both runs, say what changed since the last time.

    `ask` asks questions of the recall that `about` describes (`asking.asker`). Raises
    `RecallUnavailable` when it cannot run.
    """
    working, scored, notices = None, None, []
    try:
        working = score_working(database, root, about, ask, progress)
    except NotFound as missing:
        notices.append(missing.message)
    try:
        scored = heldout.score_heldout(database, root, about, ask, progress)
    except NotFound as missing:
        notices.append(missing.message)
    return Scored(working, scored, trend.of_history(database, about.vault), tuple(notices))


def score_working(
    database: Database, root: Path, about: About, ask: Asker, progress: Progress = silent
) -> Working:
    """Ask the working set and keep the run; raises `NotFound` without a question."""
    asked = questions.need_some(questions.load(root))
    results = tuple(ask(asked.questions, progress))
    run = history.keep(database, asked, results, about)
    return Working(run, asked.questions, results, asked.problems, asked.skipped)
