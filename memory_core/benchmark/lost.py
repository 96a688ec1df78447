"""Where a missed question was lost, from the vault to the text shown: the first stage that lost it.

Every stage but the legs can be read off a result. The legs are asked again, and only for
questions whose note is not in the pool, so that a recall itself reports nothing more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from memory_core.benchmark import score
from memory_core.benchmark.questions import Question
from memory_core.benchmark.score import Progress, Recaller, Result, silent
from memory_core.recall.answer import Legs
from memory_core.recall.source import Source
from memory_core.text import one_line

NOT_IN_VAULT = "not in the vault"
IN_NO_LEG = "in no leg"
IN_THE_POOL = "lost in the pool"
IN_RERANKING = "lost in re-ranking"
UNDER_THE_FLOOR = "under the floor"
TRIMMED_AWAY = "trimmed away"
REASONS = {
    NOT_IN_VAULT: "the note, or the point that answers, is not there",
    IN_NO_LEG: "neither words nor meaning find the note",
    IN_THE_POOL: "a leg finds the note, too far down to be read by the cross-encoder",
    IN_RERANKING: "the note is read, and three others stand above it",
    UNDER_THE_FLOOR: "the note is among the three, below the floor",
    TRIMMED_AWAY: "the note is shown without the point that answers",
}


class Searched(Recaller, Protocol):
    """A recall that can say what it holds and what each leg finds; `recall.Recall` is one."""

    @property
    def sources(self) -> Mapping[str, Source]:
        """What is indexed, by id."""

    def legs(self, query: str) -> Legs:
        """What each leg alone finds."""


def scored(
    recall: Searched,
    questions: Sequence[Question],
    floor: float | None = None,
    progress: Progress = silent,
) -> list[Result]:
    """`score.run`, and for every missed question where it was lost; raises as that does."""
    return attributed(recall, questions, score.run(recall, questions, floor, progress))


def attributed(
    recall: Searched, questions: Sequence[Question], results: Sequence[Result]
) -> list[Result]:
    """The results of these questions, in order, each with `lost`."""
    flat = {source.name: _flat(source) for source in recall.sources.values()}
    return [
        replace(result, lost=_reason(recall, question, result, flat))
        for question, result in zip(questions, results, strict=True)
    ]


def counted(results: Iterable[Result]) -> dict[str, int]:
    """How many missed questions each reason has, in the order of the stages."""
    found = Counter(result.lost for result in results)
    return {reason: found[reason] for reason in REASONS}


def _reason(recall: Searched, question: Question, result: Result, flat: Mapping[str, str]) -> str:
    if not question.answerable or (result.answered and result.point is not False):
        return ""
    if not _in_vault(question, flat):
        return NOT_IN_VAULT
    if result.rank is None:
        legs = recall.legs(question.query)
        found = question.right & {*legs.words, *legs.meaning}
        return IN_THE_POOL if found else IN_NO_LEG
    if not result.hit:
        return IN_RERANKING
    return TRIMMED_AWAY if result.answered else UNDER_THE_FLOOR


def _flat(source: Source) -> str:
    """A source's text on one line; headings and description behind, so that points stay whole."""
    texts = [point.text for point in source.points]
    headings = dict.fromkeys(point.heading for point in source.points)
    return one_line("\n".join([*texts, source.description, *headings]))


def _in_vault(question: Question, flat: Mapping[str, str]) -> bool:
    """Whether a right note is there, and the named one, if it is, with its point."""
    if not question.right & flat.keys():
        return False
    named = flat.get(question.note or "")
    return named is None or one_line(question.answer_point or "") in named
