"""Benchmark questions: sets of lines in the vault, loaded, checked and added to.

A set is `.wellkept/benchmark/NAME.jsonl`, one question a line; `accept.json` beside it
names further notes that count as right. A line that cannot be read is named, counted
and skipped, never fatal.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from memory_core.errors import BadInput, NotFound
from memory_core.text import clean, one_line
from memory_core.vault.question import FOLDER, NONSENSE, Question, checked, line_of, parsed

__all__ = ["FOLDER", "NONSENSE", "Question", "QuestionSet", "checked", "load", "read"]

WORKING, HELDOUT = "working", "heldout"
SETS = (WORKING, HELDOUT)
GENERAL = Path(__file__).with_name("nonsense.jsonl")


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """A set as loaded; `skipped` counts lines that could not be read, `problems` names them."""

    name: str
    questions: tuple[Question, ...]
    problems: tuple[str, ...] = ()
    skipped: int = 0


def file_of(root: Path, name: str) -> Path:
    """Where a vault keeps a set. Raises `BadInput` for a name that is no set's."""
    if name not in SETS:
        raise BadInput(f"there is no set {name!r}", remedy=f"choose {' or '.join(SETS)}")
    return root / FOLDER / f"{name}.jsonl"


def load(root: Path, name: str) -> QuestionSet:
    """A set of the vault. Raises `NotFound` when there is none or it cannot be opened."""
    file = file_of(root, name)
    found = read(file, name)
    accepted, problem = _accepted(file.with_name("accept.json"))
    questions = tuple(
        Question(q.id, q.query, q.note, q.answer_point, q.kind, accepted.get(q.id, ()))
        for q in found.questions
    )
    problems = (*found.problems, problem) if problem else found.problems
    return QuestionSet(name, questions, problems, found.skipped)


def general() -> QuestionSet:
    """The 100 nonsense questions that ship."""
    return read(GENERAL, "general")


def read(file: Path, name: str) -> QuestionSet:
    """The questions of one file, without `accept.json`. Raises `NotFound` as `load` does."""
    try:
        lines = file.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    except FileNotFoundError:
        raise NotFound(f"no question set {file}", remedy="wellkept bench add makes one") from None
    except OSError as error:
        raise NotFound(f"{file} cannot be read: {error.strerror}") from None
    questions: dict[str, Question] = {}
    problems: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            question = parsed(line)
            if question.id in questions:
                raise BadInput(f"the id {question.id!r} stands there twice")
            questions[question.id] = question
        except BadInput as error:
            problems.append(f"{file.name} line {number}: {error.message}")
    return QuestionSet(name, tuple(questions.values()), tuple(problems), len(problems))


def _accepted(file: Path) -> tuple[dict[str, tuple[str, ...]], str]:
    try:
        document = json.loads(file.read_text("utf-8"))
        rows = {
            str(key): tuple(str(name) for name in names)
            for key, names in document.items()
            if isinstance(names, list)
        }
    except FileNotFoundError:
        return {}, ""
    except (OSError, ValueError, AttributeError, RecursionError) as error:
        return {}, f"{file.name} cannot be read: {error}"
    return rows, ""


def check(questions: Iterable[Question], texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each question's id and what no longer holds; `texts` are the notes' texts by file."""
    flat = {file: one_line(text) for file, text in texts.items()}
    for question in questions:
        if question.note is None:
            continue
        for file in sorted(question.right - flat.keys()):
            yield question.id, f"the note {file} is gone"
        point = one_line(question.answer_point or "")
        times = flat.get(question.note, "").count(point) if point else 1
        if question.note in flat and times == 0:
            yield question.id, f"its answering point no longer stands in {question.note}"
        if times > 1:
            yield question.id, f"its answering point stands {times} times in {question.note}"
        if point:
            twins = sorted(
                f for f, text in flat.items() if f not in question.right and point in text
            )
            for file in twins:
                yield question.id, f"its answering point stands in {file} too"


def add(root: Path, name: str, question: Question, texts: Mapping[str, str]) -> Question:
    """Append a question to a set, which is made when absent; an empty id becomes the next one.

    Raises `BadInput` when a field does not hold, the id is taken, the note is unknown or
    the point does not stand in it; nothing is written then.
    """
    file = file_of(root, name)
    known = read(file, name).questions if file.exists() else ()
    query = clean(question.query).strip()
    own = question.id or _next_id(name, {other.id for other in known})
    question = checked(Question(own, query, question.note, question.answer_point, question.kind))
    if own in {other.id for other in known}:
        raise BadInput(f"the id {own!r} is taken in {file}", remedy="choose another")
    if question.note is not None and question.note not in texts:
        raise BadInput(f"there is no note {question.note!r}", remedy="name its file in the vault")
    point = one_line(question.answer_point or "")
    if question.note and point not in one_line(texts[question.note]):
        raise BadInput(f"the point does not stand in {question.note}", remedy="quote it exactly")
    _append(file, line_of(question, name))
    return question


def _next_id(name: str, taken: set[str]) -> str:
    number = len(taken) + 1
    while f"{name[0]}{number:03d}" in taken:
        number += 1
    return f"{name[0]}{number:03d}"


def _append(file: Path, line: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("ab+") as stream:
        stream.seek(0, os.SEEK_END)
        if stream.tell():
            stream.seek(-1, os.SEEK_END)
            line = line if stream.read(1) == b"\n" else f"\n{line}"
        stream.write(f"{line}\n".encode())
        stream.flush()
        os.fsync(stream.fileno())
