"""The effect of a change: applied alone to a scratch copy, and scored.

A change goes through the same desk as when it is approved, so that what is measured is what
will be written. Points are counted on the questions that are asked before and after; where
the test itself changes, its score with and without the change is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from memory_core.benchmark import score
from memory_core.benchmark.questions import Question
from memory_core.benchmark.score import Progress, Result, silent
from memory_core.benchmark.scratch import Scratch
from memory_core.proposals import question_lines
from memory_core.proposals.desk import Desk, Edit, Wanted
from memory_core.vault.note import Note, parse
from memory_core.vault.question import WORKING_SET

NOTHING = "no measurable effect"
SHARES = ("hit@3", "answered", "quiet")
_NAMED = 4  # questions that a line names
_LEAST_MS = 0.1  # milliseconds a request below which nothing is said


@dataclass(frozen=True, slots=True)
class Base:
    """A vault as it is, scored: what changes are measured against."""

    scratch: Scratch
    questions: tuple[Question, ...]
    results: Mapping[str, Result]

    @classmethod
    def of(
        cls, scratch: Scratch, questions: Sequence[Question], progress: Progress = silent
    ) -> Base:
        """Score the notes as they are; raises what the server's client raises."""
        results = scratch.attributed(questions, progress)
        return cls(scratch, tuple(questions), {result.id: result for result in results})


@dataclass(frozen=True, slots=True)
class Effect:
    """What a change alone does.

    `points` (hit@3), `answered` and `quiet` are percentage points on the questions asked
    before and after, None where there is none of their kind or no floor. `carried` are the
    characters that every session reads, `injected` the mean above a request, `ms` a
    request's milliseconds, None where no fewer or more passages are read. `test` says how
    the scores differ with the test as it would be; `won` and `lost` are ids of questions.
    """

    points: float | None = None
    answered: float | None = None
    quiet: float | None = None
    carried: int = 0
    injected: int = 0
    ms: float | None = None
    won: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    test: str = ""

    @property
    def gain(self) -> float:
        """Percentage points of all three together; negative for a change that harms."""
        return sum(share or 0.0 for share in (self.points, self.answered, self.quiet))

    @property
    def lowers(self) -> bool:
        """Whether memory answers worse with it."""
        return self.gain < -1e-9

    @property
    def said(self) -> str:
        """One line."""
        shares = ("hit@3", self.points), ("answered", self.answered), ("quiet", self.quiet)
        told = [f"{name} {share:+.1f} points" for name, share in shares if share]
        if told:
            told[-1] += _named(self.won, self.lost)
        if self.carried:
            told.append(f"{self.carried:+,} characters carried in each session")
        if self.injected:
            told.append(f"{self.injected:+,} characters above a request")
        if self.ms:
            told.append(f"{self.ms:+.1f} ms a request")
        if self.test:
            told.append(self.test)
        return "; ".join(told) or NOTHING

    def as_json(self) -> dict[str, Any]:
        """As a report holds it."""
        return {
            "points": self.points, "answered": self.answered, "quiet": self.quiet,
            "characters": self.carried, "injected": self.injected, "ms": self.ms,
            "won": list(self.won), "lost": list(self.lost), "said": self.said,
        }  # fmt: skip


def measure(base: Base, desk: Desk, item: Wanted) -> Effect:
    """The effect of one change alone.

    Raises `Conflict`, `BadInput` or `VaultError` for one that cannot be applied as things
    are, and what the server's client raises.
    """
    return effect_of(base, desk.alone().lay(item), desk.settings.always_loaded)


def effect_of(base: Base, edits: Sequence[Edit], always_loaded: str) -> Effect:
    """The effect of edits, as a desk makes them."""
    notes: dict[str, Note | None] = {}
    carried, questions = 0, base.questions
    for edit in edits:
        if edit.file == always_loaded:
            carried += len(edit.after.text) - len(edit.before.text)
        elif edit.file == WORKING_SET:
            questions = _asked(edit.after.text, base.questions)
        else:
            notes[edit.file] = parse(edit.after.text, edit.file) if edit.after.data else None
    scratch = _changed(base.scratch, notes)
    if scratch is base.scratch and questions == base.questions:
        return Effect(carried=carried)
    after = _scored(base, scratch, questions)
    return replace(_compared(base, scratch, after), carried=carried)


def _changed(scratch: Scratch, notes: Mapping[str, Note | None]) -> Scratch:
    """The scratch itself where nothing that is searched changes."""
    differ = {file: note for file, note in notes.items() if not _alike(scratch, file, note)}
    return scratch.changed(differ) if differ else scratch


def _alike(scratch: Scratch, file: str, note: Note | None) -> bool:
    known = scratch.notes.get(file)
    if known is None or note is None:
        return known is note
    return replace(known, updated=None) == replace(note, updated=None)


def _asked(text: str, known: Sequence[Question]) -> tuple[Question, ...]:
    """The questions of a set's text, with the further notes that count as right."""
    accepted = {question.id: question.accepted for question in known}
    return tuple(
        replace(question, accepted=accepted.get(question.id, ()))
        for question in question_lines.questions(text)
    )


def _scored(
    base: Base, scratch: Scratch, questions: Sequence[Question]
) -> list[tuple[Question, Result]]:
    """Each question with its result; on the same notes only what is new is asked."""
    known = {question.id: question for question in base.questions}
    left = [
        question for question in questions
        if scratch is not base.scratch or known.get(question.id) != question
    ]  # fmt: skip
    results = dict(base.results) | {result.id: result for result in scratch.score(left)}
    return [(question, results[question.id]) for question in questions]


def _compared(base: Base, scratch: Scratch, after: Sequence[tuple[Question, Result]]) -> Effect:
    before = {question.id: (question, base.results[question.id]) for question in base.questions}
    both = [
        (before[question.id][1], result, question) for question, result in after
        if question.id in before and _same_question(before[question.id][0], question)
    ]  # fmt: skip
    old, new = [was for was, _, _ in both], [now for _, now, _ in both]
    effect = Effect(
        points=_points(old, new, "hit@3"),
        won=tuple(now.id for was, now in zip(old, new, strict=True) if good(now) > good(was)),
        lost=tuple(now.id for was, now in zip(old, new, strict=True) if good(now) < good(was)),
        injected=round(_mean(new) - _mean(old)),
    )
    if base.scratch.bench.floor is not None:
        effect = replace(
            effect, answered=_points(old, new, "answered"), quiet=_points(old, new, "quiet")
        )
    if scratch is not base.scratch:
        effect = replace(effect, ms=_ms(base.scratch, scratch, [asked for _, _, asked in both]))
    if len(both) != len(after) or len(both) != len(before):
        effect = replace(effect, test=_test(list(base.results.values()), [r for _, r in after]))
    return effect


def good(result: Result) -> int:
    """How well a question went: for an answer among the three and shown, or for silence."""
    return result.hit + result.answered if result.answerable else int(result.shown == 0)


def _same_question(one: Question, other: Question) -> bool:
    """Whether both ask the same; the note may have followed its point to another file."""
    return one.query == other.query and one.answerable == other.answerable


def _points(old: Sequence[Result], new: Sequence[Result], name: str) -> float | None:
    was, now = (score.summary(results)[name] for results in (old, new))
    return None if was is None or now is None else round((now - was) * 100, 2)


def _mean(results: Sequence[Result]) -> float:
    return fmean(result.characters for result in results) if results else 0.0


def _ms(before: Scratch, after: Scratch, questions: Sequence[Question]) -> float | None:
    """A request's milliseconds by the passages it reads; None where as many are read."""
    pair = before.bench.reranker.ms
    if pair is None or not questions:
        return None
    more = [len(after.answer(one).pool) - len(before.answer(one).pool) for one in questions]
    change = round(fmean(more) * pair, 2)
    return change if abs(change) >= _LEAST_MS else None


def _test(old: Sequence[Result], new: Sequence[Result]) -> str:
    """The scores with the test as it is and as it would be."""
    was, now = score.summary(old), score.summary(new)
    told = [
        f"{name} {_percent(was[name])} -> {_percent(now[name])}"
        for name in SHARES if was[name] != now[name]
    ]  # fmt: skip
    counts = f"the test: {len(old)} -> {len(new)} questions"
    return f"{counts}, {', '.join(told) or 'its scores as before'}"


def _percent(share: float | None) -> str:
    return "none" if share is None else f"{share * 100:.1f} %"


def _named(won: Sequence[str], lost: Sequence[str]) -> str:
    told = []
    for what, ids in (("won", won), ("lost", lost)):
        if ids:
            more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
            told.append(f"{what} {', '.join(ids[:_NAMED])}{more}")
    return f" ({', '.join(told)})" if told else ""
