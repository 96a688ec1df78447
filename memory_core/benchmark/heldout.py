"""The held-out set: the one module that opens it, and what leaves it.

Numbers leave it, and into the store ids and outcomes; no question, note, point or kind of
a person's own wording. Routines reach it through `sets.score_sets` alone (import-linter
holds them to it). Nothing here prints.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memory_core.benchmark import history, questions
from memory_core.benchmark.asking import Asker
from memory_core.benchmark.history import About
from memory_core.benchmark.questions import HELDOUT, Question, QuestionSet
from memory_core.benchmark.score import Progress, Result, silent
from memory_core.errors import BadInput, RecallUnavailable
from memory_core.store.database import Database
from memory_core.text import one_line

_SLUG = re.compile(r"[a-z0-9-]{1,32}")


@dataclass(frozen=True, slots=True)
class HeldoutScore:
    """The scores of a held-out run, as `score.summary` has them; `run` is its number."""

    run: int
    questions: int
    answerable: int
    nonsense: int
    skipped: int
    hit: float | None
    answered: float | None
    point: float | None
    pool: float | None
    quiet: float | None
    characters: int | None


def score_heldout(
    database: Database, root: Path, about: About, ask: Asker, progress: Progress = silent
) -> HeldoutScore:
    """Ask the held-out set, keep ids and outcomes, return the scores.

    Raises `NotFound` without a question, `RecallUnavailable` when recall cannot run.
    """
    asked = questions.need_some(_opened(root))
    try:
        results = ask(asked.questions, progress)
    except RecallUnavailable:
        raise RecallUnavailable("recall cannot run: the held-out set was not asked") from None
    run = history.keep(database, asked, [_plain(result) for result in results], about)
    scores = run.scores
    return HeldoutScore(
        run.id or 0, scores["questions"], scores["set"]["answerable"], scores["set"]["nonsense"],
        asked.skipped, scores["hit@3"], scores["answered"], scores["point"], scores["pool"],
        scores["quiet"], scores["characters"],
    )  # fmt: skip


def ready(root: Path) -> None:
    """Raise `NotFound` unless there is a question to ask."""
    questions.need_some(_opened(root))


def add(root: Path, question: Question, texts: Mapping[str, str]) -> str:
    """Append a question for a person; returns its id. Raises `BadInput` as `questions.append`."""
    if question.id and not _SLUG.fullmatch(question.id):
        raise BadInput("the id of a held-out question is a short slug", remedy="such as h012")
    return questions.append(_file(root), HELDOUT, question, texts).id


def check(root: Path, texts: Mapping[str, str]) -> tuple[int, list[tuple[str, str]]]:
    """How many questions there are, and what no longer holds: ids and lines, no question's text.

    For a person: what is said names notes. A question that the working set asks too is named.
    Raises `NotFound` without a set.
    """
    found = _opened(root)
    said = list(questions.check(found.questions, texts))
    tuned = _tuned(root)
    for question in found.questions:
        if one_line(question.query).casefold() in tuned:
            said.append((question.id, "the working set asks the same: it is not held out"))
    return len(found.questions), said + [("", problem) for problem in found.problems]


def _tuned(root: Path) -> set[str]:
    """The requests of the working set, where there is one."""
    file = questions.file_of(root)
    known: Sequence[Question] = questions.load(root).questions if file.is_file() else ()
    return {one_line(question.query).casefold() for question in known}


def _plain(result: Result) -> Result:
    """The outcome without any word of a person: an id or kind that is no slug is replaced."""
    id = result.id if _SLUG.fullmatch(result.id) else result.digest.replace("-", "")
    kind = result.kind if _SLUG.fullmatch(result.kind) else "other"
    return replace(result, id=id, kind=kind, above=())


def _opened(root: Path) -> QuestionSet:
    return questions.opened(_file(root), HELDOUT)


def _file(root: Path) -> Path:
    return root / questions.FOLDER / f"{HELDOUT}.jsonl"
