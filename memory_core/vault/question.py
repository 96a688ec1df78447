"""A benchmark question: one line of JSON in a set of the vault, read and checked.

The lines of a set are the user's own; whoever changes one writes what `parsed` accepts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory_core.errors import BadInput
from memory_core.text import without_surrogates

FOLDER = ".wellkept/benchmark"
WORKING_SET = f"{FOLDER}/working.jsonl"
NONSENSE = "nonsense"
_CAPS = {
    "id": 64, "query": 20_000, "note": 1000, "answer_point": 2000, "kind": 64, "tests": 200,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Question:
    """`note` is the right note's file, None for nonsense on which quiet is right.

    `answer_point` stands in that note; `accepted` holds further files that count as right.
    `tests` says in a few words what the question tests.
    """

    id: str
    query: str
    note: str | None = None
    answer_point: str | None = None
    kind: str = NONSENSE
    accepted: tuple[str, ...] = ()
    tests: str = ""

    @property
    def answerable(self) -> bool:
        """Whether a note answers it."""
        return self.note is not None

    @property
    def right(self) -> frozenset[str]:
        """Every file that counts as right."""
        return frozenset((self.note, *self.accepted)) if self.note else frozenset()

    @property
    def digest(self) -> str:
        """`ASKED-RIGHT`, eight hex digits each: of the request, and of what answers it."""
        right = [self.note, self.answer_point, sorted(self.accepted)]
        return f"{_hash(self.query)}-{_hash(right)}"


def fields(line: bytes | str) -> dict[str, Any]:
    """The JSON object of a line as it stands there, unknown fields too. Raises `BadInput`."""
    try:
        row = json.loads(line.decode("utf-8") if isinstance(line, bytes) else line)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"not a JSON object in UTF-8 ({type(error).__name__})") from None
    if not isinstance(row, dict):
        raise BadInput("not a JSON object")
    return row


def parsed(line: bytes | str) -> Question:
    """The question of a line. Raises `BadInput` that names what does not hold."""
    row = fields(line)
    note, point = _text(row, "note"), _text(row, "answer_point")
    kind = _text(row, "kind") or ("direct" if note else NONSENSE)
    question = Question(
        _text(row, "id") or "", _text(row, "query") or "", note, point, kind,
        tests=_text(row, "tests") or "",
    )  # fmt: skip
    return checked(question)


def checked(question: Question) -> Question:
    """The question itself. Raises `BadInput` that names the field which does not hold."""
    for name, cap in _CAPS.items():
        value = getattr(question, name)
        if value is not None and len(value) > cap:
            raise BadInput(f"`{name}` is {len(value)} characters, the cap is {cap}")
        if value is not None and value != without_surrogates(value):
            raise BadInput(f"`{name}` holds half a character", remedy="write the line as UTF-8")
    for name in ("id", "query"):
        if not getattr(question, name).strip():
            raise BadInput(f"`{name}` is missing")
    if question.note == "":
        raise BadInput("`note` is empty", remedy="null means: nonsense, quiet is right")
    if question.note is None and question.answer_point:
        raise BadInput("`answer_point` without a `note`")
    if (question.kind == NONSENSE) != (question.note is None):
        raise BadInput(f"kind {question.kind!r} does not fit note {question.note!r}")
    return question


def line_of(question: Question, name: str = "working") -> str:
    """The line that stands for a question in the set of that name."""
    row = {
        "id": question.id, "query": question.query, "note": question.note,
        "answer_point": question.answer_point, "kind": question.kind, "set": name,
    }  # fmt: skip
    if question.tests:
        row["tests"] = question.tests
    return json.dumps(row, ensure_ascii=False)


def _text(row: Mapping[str, Any], name: str) -> str | None:
    value = row.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise BadInput(f"`{name}` is not text")
    return value


def _hash(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:8]
