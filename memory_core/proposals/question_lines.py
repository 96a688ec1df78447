"""The lines of the working set: one added, dropped, rewritten; every other byte stays.

A line is a question of its own, told by its id. Nothing here knows of Markdown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from memory_core.errors import BadInput, Conflict
from memory_core.text import one_line, without_surrogates
from memory_core.vault.question import Question, fields, parsed

LINE = 30_000  # characters
_LINE = re.compile(r"[^\n]+")


def checked(text: str) -> Question:
    """The question of a line that is to be written. Raises `BadInput`."""
    if any(ord(character) < 32 for character in text):
        raise BadInput("a question is one line of JSON", remedy="escape what is not printable")
    if len(text) > LINE:
        raise BadInput(f"the line is {len(text)} characters, the cap is {LINE}")
    return parsed(text)


def added(text: str, line: str) -> str:
    """The text with a question after the last; it is "" for a set that is not there.

    Raises `Conflict` where the id is taken.
    """
    own = checked(line).id
    if own in {known.id for known in questions(text)}:
        raise Conflict(f"the id {own} is taken meanwhile", remedy="the next run chooses another")
    newline = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    gap = newline if text.strip("\ufeff") and not text.endswith("\n") else ""
    return f"{text}{gap}{line}{newline}"


def dropped(text: str, line: str) -> str:
    """The text without a question's line. Raises `Conflict` unless it stands there once."""
    start, end = found(text, line)
    behind = re.compile(r"\r?\n").match(text, end)
    if behind:
        return text[:start] + text[behind.end() :]
    head = text[:start]
    return head.removesuffix("\n").removesuffix("\r") + text[end:] if head else text[end:]


def revised(text: str, before: str, after: str) -> str:
    """The text with a question rewritten under its id. Raises as `dropped`."""
    start, end = found(text, before)
    return text[:start] + after + text[end:]


def found(text: str, line: str) -> tuple[int, int]:
    """Where a line stands, without its line end. Raises `Conflict` unless it is there once."""
    places = [span for span, there in _lines(text) if without_surrogates(there) == line]
    if len(places) == 1:
        return places[0]
    said = f"stands there {len(places)} times" if places else "no longer stands there"
    raise Conflict(f"the question {said}", remedy="the next run looks at it anew", current=text)


def stands_in(text: str, line: str) -> bool:
    """Whether the set has a line, word for word."""
    return any(without_surrogates(there) == line for _, there in _lines(text))


def questions(text: str) -> Iterator[Question]:
    """The questions of a set's text; lines that are none are passed over."""
    for _, line in _lines(text):
        try:
            yield parsed(line)
        except BadInput:
            continue


def line_of(text: str, id: str) -> str:
    """The verbatim line of a question. Raises `BadInput` where there is none of that id."""
    for _, line in _lines(text):
        try:
            if parsed(line).id == id:
                return line
        except BadInput:
            continue
    raise BadInput(f"the working set has no question {id!r}", remedy="see wellkept bench list")


def followed(text: str, file: str, to: str, left: str, arrived: str) -> tuple[str, list[str]]:
    """The set after text of a note moved, and the ids of the questions that moved along.

    They are those of `file` whose answering point stands in `arrived` and not in `left`.
    """
    parts, at, ids = [], 0, []
    texts = one_line(left), one_line(arrived)
    for (start, end), line in _lines(text):
        try:
            question = parsed(line)
        except BadInput:
            continue
        point = one_line(question.answer_point or "")
        if question.note == file and point and point not in texts[0] and point in texts[1]:
            parts += [text[at:start], with_fields(line, note=to)]
            at = end
            ids.append(question.id)
    return "".join([*parts, text[at:]]), ids


def with_fields(line: str, **values: str | None) -> str:
    """The line with some fields set; the others, and their order, stay."""
    row = fields(line)
    separators = (", ", ": ") if '": ' in line else (",", ":")
    return json.dumps({**row, **values}, ensure_ascii=False, separators=separators)


def told(line: str) -> list[str]:
    """A line as a person reads it, a field a line; as it is where it is no JSON object."""
    try:
        row = fields(line)
    except BadInput:
        return line.splitlines()
    return [f"{name}: {_shown(value)}" for name, value in row.items() if name != "set"]


def brief(line: str) -> str:
    """The question in short: `w012 (direct): What pool mode …? [pgbouncer.md]`."""
    try:
        question = parsed(line)
    except BadInput:
        return line
    note = f" [{question.note}]" if question.note else ""
    return f"{question.id} ({question.kind}): {one_line(question.query)}{note}"


def _lines(text: str) -> Iterator[tuple[tuple[int, int], str]]:
    """Span and text of each line that is not blank, without line ends and byte order mark."""
    for match in _LINE.finditer(text):
        start, line = match.start(), match[0].removesuffix("\r")
        if start == 0 and line.startswith("\ufeff"):
            start, line = 1, line[1:]
        if line.strip():
            yield (start, start + len(line)), line


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
