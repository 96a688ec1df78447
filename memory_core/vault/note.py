"""A note: front matter and points, parsed from one Markdown file.

`parse` never raises: a file without front matter is a note too, and what is wrong in
one is named by `examine`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import PurePosixPath
from typing import Any

from memory_core.text import clean, one_line
from memory_core.vault import front_matter, points
from memory_core.vault.points import Point

__all__ = ["Note", "Point", "examine", "parse"]

DESCRIPTION = 200  # characters of a description made from the body

_SENTENCE_END = re.compile(r"(?<=[.!?])\s|(?<=[。！？])|[\r\n]")


@dataclass(frozen=True, slots=True)
class Note:
    """A note file's content. `file` is relative to the vault, with forward slashes."""

    file: str
    key: str
    description: str = ""
    scope: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    updated: date | None = None
    points: tuple[Point, ...] = ()
    links: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)  # unknown front-matter keys


def parse(text: str, file: str) -> Note:
    """The note in `text`; see `examine` for what is wrong in it."""
    return examine(text, file)[0]


def examine(text: str, file: str) -> tuple[Note, tuple[str, ...]]:
    """The note and its problems in words.

    Without a key the file's name is the key; without a description the first heading
    or the first sentence describes the note.
    """
    matter = front_matter.read(text)
    problems = list(matter.problems)
    body = points.read(text[matter.end :], 1 + _lines(text[: matter.end]))
    values = dict(matter.values)
    key = _line(front_matter.as_text("key", values.pop("key", None), problems))
    told = _line(front_matter.as_text("description", values.pop("description", None), problems))
    note = Note(
        file=file,
        key=key or PurePosixPath(file).stem,
        description=told or _described(body),
        scope=_lines_of(front_matter.as_list("scope", values.pop("scope", None), problems)),
        tags=_lines_of(front_matter.as_list("tags", values.pop("tags", None), problems)),
        updated=front_matter.as_date("updated", values.pop("updated", None), problems),
        points=tuple(body.points),
        links=tuple(dict.fromkeys(body.links)),
        extra=values,
    )
    return note, tuple(problems)


def shortened(text: str, cap: int) -> str:
    """`text` cut at a word's end to at most `cap` characters, the cut shown."""
    if len(text) <= cap:
        return text
    cut = text[: cap - 1]
    border = cut.rfind(" ")
    return (cut[:border] if border > cap // 2 else cut).rstrip() + "…"


def _described(body: points.Body) -> str:
    first = body.points[0].plain if body.points else ""
    told = body.title or _SENTENCE_END.split(first.strip(), maxsplit=1)[0]
    return shortened(_line(told), DESCRIPTION)


def _line(text: str) -> str:
    return one_line(clean(text))


def _lines_of(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(line for line in map(_line, texts) if line)


def _lines(text: str) -> int:
    return len(re.findall(r"\r\n?|\n", text))
