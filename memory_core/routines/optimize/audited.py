"""What is audited: a vault as it is now, its test, how the test went, what was used.

Of the test only the working set is here; nothing in this package sees a held-out question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from memory_core.benchmark.questions import WORKING, Question, file_of
from memory_core.benchmark.questions import read as read_questions
from memory_core.benchmark.score import Result
from memory_core.errors import NotFound
from memory_core.recall.answer import Candidate
from memory_core.record.exchange import Exchange
from memory_core.routines.place import Ask, Place

Legs = tuple[int | None, int | None]
"""Ranks in words and in meaning, from 1; None = not found by that leg."""


def _nothing() -> Iterable[Exchange]:
    return ()


@dataclass(frozen=True, slots=True)
class Audited:
    """`read(file)` is a note's whole text, as `Vault.read` gives it.

    `questions` are the working set; `lines` holds its verbatim lines by question id,
    `problems` what `questions.check` says, `results` and `legs` how each one went. `shown`
    counts by file how often a real recall showed a note, None where nothing was recorded.
    `exchanges` reads the record; `ask` is asked for vectors alone.
    """

    place: Place
    ask: Ask
    today: date
    read: Callable[[str], str]
    questions: tuple[Question, ...] = ()
    lines: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[tuple[str, str], ...] = ()
    results: Mapping[str, Result] = field(default_factory=dict)
    legs: Mapping[str, Legs] = field(default_factory=dict)
    shown: Mapping[str, int] | None = None
    exchanges: Callable[[], Iterable[Exchange]] = _nothing
    floor: float | None = None
    clearance: float | None = None


def question_lines(root: Path) -> dict[str, str]:
    """The verbatim lines of a vault's working set by question id; {} where there is none."""
    file = file_of(root, WORKING)
    try:
        known = {question.id for question in read_questions(file, WORKING).questions}
        text = file.read_text("utf-8-sig", "replace")
    except (NotFound, OSError):
        return {}
    return _by_id(text.split("\n"), known)


def legs_of(question: Question, pool: Sequence[Candidate]) -> Legs:
    """The best ranks that the right notes of a question have in each leg of its pool."""
    own = [one for one in pool if one.source in question.right]
    words = [one.words_rank for one in own if one.words_rank is not None]
    meaning = [one.meaning_rank for one in own if one.meaning_rank is not None]
    return min(words, default=None), min(meaning, default=None)


def _by_id(lines: Iterable[str], known: set[str]) -> dict[str, str]:
    import json

    found: dict[str, str] = {}
    for line in lines:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict) and row.get("id") in known:
            found.setdefault(row["id"], line.rstrip("\r"))
    return found
