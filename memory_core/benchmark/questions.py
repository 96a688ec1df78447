"""Benchmark questions: the working set of a vault, loaded, checked and added to.

A set is `.wellkept/benchmark/NAME.jsonl`, one question a line; `accept.json` beside it
names further notes that count as right. A line that cannot be read is named, counted
and skipped, never fatal. The held-out set is opened in `heldout.py` alone.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from memory_core.errors import BadInput, NotFound, VaultError
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

    @property
    def digest(self) -> str:
        """Twelve hex digits of all ids and questions: equal = the same test."""
        told = "\n".join(f"{question.id} {question.digest}" for question in self.questions)
        return hashlib.sha256(told.encode()).hexdigest()[:12]


def file_of(root: Path, name: str = WORKING) -> Path:
    """Where a vault keeps the working set. Raises `BadInput` for another name."""
    if name == HELDOUT:
        raise BadInput("the held-out set is opened by its scorer alone", remedy="choose working")
    if name not in SETS:
        raise BadInput(f"there is no set {name!r}", remedy=f"choose {' or '.join(SETS)}")
    return root / FOLDER / f"{name}.jsonl"


def load(root: Path, name: str = WORKING) -> QuestionSet:
    """The working set. Raises as `file_of`, and `NotFound` as `opened`."""
    return opened(file_of(root, name), name)


def opened(file: Path, name: str) -> QuestionSet:
    """The set of a file, and what `accept.json` beside it lets count as right.

    Raises `NotFound` when there is none or it cannot be read.
    """
    found = read(file, name)
    accepted, problem = _accepted(file.with_name("accept.json"))
    questions = tuple(replace(q, accepted=accepted.get(q.id, ())) for q in found.questions)
    problems = (*found.problems, problem) if problem else found.problems
    return QuestionSet(name, questions, problems, found.skipped)


def need_some(found: QuestionSet) -> QuestionSet:
    """The set itself. Raises `NotFound` for one without a question, which has no score."""
    if found.questions:
        return found
    option = "" if found.name == WORKING else f" --set {found.name}"
    if found.skipped:
        raise NotFound(
            f"none of the {found.skipped} lines of the {found.name} set can be read",
            remedy=f"run: wellkept bench check{option}",
        )
    raise NotFound(
        f"the {found.name} set has no question yet",
        remedy=f"run: wellkept bench add QUERY --note FILE{option}",
    )


def general() -> QuestionSet:
    """The 100 nonsense questions that ship."""
    return read(GENERAL, "general")


def read(file: Path, name: str) -> QuestionSet:
    """The questions of one file, without `accept.json`. Raises `NotFound` as `opened` does."""
    if file.is_symlink():  # one set must not stand in for the other
        raise NotFound(f"{file} is a link", remedy="put the file itself there")
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
    first: dict[str, str] = {}
    for question in questions:
        other = first.setdefault(one_line(question.query).casefold(), question.id)
        if other != question.id:
            yield question.id, f"asks the same as {other}"
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
    """Append a question to the working set, made when absent; raises as `file_of`, `append`."""
    return append(file_of(root, name), name, question, texts)


def append(file: Path, name: str, question: Question, texts: Mapping[str, str]) -> Question:
    """Append a question to the set of a file; an empty id becomes the next one.

    Raises `BadInput` when a field does not hold, the id is taken, the note is unknown or
    the point does not stand in it; nothing is written then.
    """
    with _alone(file):
        return _appended(file, name, question, texts)


def _appended(file: Path, name: str, question: Question, texts: Mapping[str, str]) -> Question:
    known = read(file, name).questions if file.exists() else ()
    own = question.id or _next_id(name, {other.id for other in known})
    query, tests = clean(question.query).strip(), one_line(clean(question.tests))
    question = checked(replace(question, id=own, query=query, tests=tests))
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


@contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Keep whoever else adds to a set of this vault waiting. Raises `VaultError`."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        folder = os.open(file.parent, os.O_RDONLY)
    except OSError as error:
        raise _unwritten(file, error) from None
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _append(file: Path, line: str) -> None:
    """A whole line or, on an error, none. Raises `VaultError`."""
    try:
        with file.open("ab+", buffering=0) as stream:
            size = stream.seek(0, os.SEEK_END)
            if size:
                stream.seek(-1, os.SEEK_END)
                line = line if stream.read(1) == b"\n" else f"\n{line}"
            data = f"{line}\n".encode()
            try:
                if stream.write(data) != len(data):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(stream.fileno())
            except OSError:
                stream.truncate(size)
                raise
    except OSError as error:
        raise _unwritten(file, error) from None


def _unwritten(file: Path, error: OSError) -> VaultError:
    return VaultError(
        f"{file} cannot be written: {error.strerror}", remedy="mend that and add it again"
    )
