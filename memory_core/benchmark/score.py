"""Scores: what recall does with a set of questions.

Every question is asked once, at the floor. `hit@3` is the order alone, read off the
pool (the right note is among the three best, whatever the floor); `answered` also asks
that it passes the floor and so is shown.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, median
from typing import Any, Protocol

from memory_core.benchmark.questions import Question
from memory_core.errors import RecallUnavailable
from memory_core.recall.answer import Answer
from memory_core.text import one_line

SHOWN = 3
Progress = Callable[[int, int], None]


def silent(_done: int, _total: int) -> None:
    """Progress that nobody watches."""


class Recaller(Protocol):
    """What is scored: `recall.Recall`, or anything that answers like it."""

    @property
    def judge_id(self) -> str:
        """Names everything that makes a score."""

    def recall(self, query: str, *, floor: float | None, limit: int | None = None) -> Answer:
        """The answer to one request, its pool included."""


@dataclass(frozen=True, slots=True)
class Result:
    """One question's outcome. Scores are raw; None = nothing was found.

    `rank` is the right note's place among the pool's notes, `score` its score, `best`
    the best score of any note. `point` (the answering point is in the text shown) is
    None unless the named note is shown. `characters` counts the text shown. `above` are up
    to three files that stood above the right note, best first. `lost` says where a missed
    question was lost (one of `lost.REASONS`), "" where that was not asked or it is not missed.
    `digest` is the question's.
    """

    id: str
    kind: str
    answerable: bool
    rank: int | None
    score: float | None
    best: float | None
    answered: bool
    shown: int
    point: bool | None
    characters: int
    ms: float
    lost: str = ""
    above: tuple[str, ...] = ()
    digest: str = ""

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Result:
        """A result as `rows` stored it, then or with an older version."""
        return cls(**{**row, "above": tuple(row.get("above", ()))})

    @property
    def hit(self) -> bool:
        """Whether the right note is among the best three, whatever the floor."""
        return self.rank is not None and self.rank <= SHOWN


def run(
    recall: Recaller,
    questions: Sequence[Question],
    floor: float | None = None,
    progress: Progress = silent,
) -> list[Result]:
    """Ask every question; without a `floor` everything passes, at `math.inf` nothing is shown.

    Raises `RecallUnavailable` when recall cannot run, since a score would be untrue.
    """
    results = []
    for number, question in enumerate(questions, 1):
        results.append(ask(recall, question, floor))
        progress(number, len(questions))
    return results


def ask(recall: Recaller, question: Question, floor: float | None = None) -> Result:
    """One question's outcome; raises as `run` does."""
    began = time.perf_counter()
    answer = recall.recall(question.query, floor=-math.inf if floor is None else floor, limit=SHOWN)
    ms = (time.perf_counter() - began) * 1000
    if answer.status == "unavailable":
        raise RecallUnavailable(f"question {question.id}: recall unavailable: {answer.reason}")
    ranked: dict[str, float] = {}
    for candidate in answer.pool:
        ranked.setdefault(candidate.source, candidate.score)
    right = [(at, ranked[name]) for at, name in enumerate(ranked, 1) if name in question.right]
    rank, score = right[0] if right else (None, None)
    return Result(
        id=question.id,
        kind=question.kind,
        answerable=question.answerable,
        rank=rank,
        score=score,
        best=max(ranked.values(), default=None),
        answered=any(note.source in question.right for note in answer.notes),
        shown=len(answer.notes),
        point=_survived(question, {note.source: note.text for note in answer.notes}),
        characters=sum(len(note.text) for note in answer.notes),
        ms=round(ms, 1),
        above=tuple(ranked)[: min(SHOWN, len(ranked) if rank is None else rank - 1)],
        digest=question.digest,
    )


def _survived(question: Question, texts: dict[str, str]) -> bool | None:
    if not question.answer_point or question.note not in texts:
        return None
    return one_line(question.answer_point) in one_line(texts[question.note])


def summary(results: Sequence[Result]) -> dict[str, Any]:
    """The scores overall and, under `by_kind`, of each kind; shares from 0 to 1, None = no case.

    `latency_ms` holds p50 and p95; `characters` is the mean number shown above a request.
    """
    kinds = dict.fromkeys(result.kind for result in results)
    return {
        **_scores(results),
        "by_kind": {kind: _scores([r for r in results if r.kind == kind]) for kind in kinds},
    }


def _scores(results: Sequence[Result]) -> dict[str, Any]:
    real = [result for result in results if result.answerable]
    nonsense = [result for result in results if not result.answerable]
    times = [result.ms for result in results]
    return {
        "questions": len(results),
        "hit@3": share(result.hit for result in real),
        "answered": share(result.answered for result in real),
        "point": share(result.point for result in real if result.point is not None),
        "pool": share(result.rank is not None for result in real),
        "quiet": share(result.shown == 0 for result in nonsense),
        "mrr": round(fmean(1 / r.rank if r.rank else 0 for r in real), 4) if real else None,
        "characters": round(fmean(result.characters for result in results)) if results else None,
        "latency_ms": {"p50": percentile(times, 50), "p95": percentile(times, 95)},
    }


def share(outcomes: Iterable[bool]) -> float | None:
    """The share that is true, four decimals; None of nothing."""
    counted = list(outcomes)
    return round(sum(counted) / len(counted), 4) if counted else None


def percentile(values: Sequence[float], percent: int) -> float | None:
    """Nearest rank; None of nothing."""
    if not values:
        return None
    if percent == 50:
        return round(median(values), 1)
    return sorted(values)[math.ceil(percent / 100 * len(values)) - 1]


def rows(results: Sequence[Result]) -> list[dict[str, Any]]:
    """The results as stored: ids and outcomes, never a question's text."""
    return [asdict(result) for result in results]
