"""A note: front matter and points, parsed from one Markdown file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any


@dataclass(frozen=True, slots=True)
class Point:
    """One bullet, short paragraph or code block of a note, verbatim.

    `line` counts from 1 in the file; `heading` is the nearest heading above, or "".
    `atomic` is true for code blocks and list items, which a trim never cuts.
    """

    text: str
    line: int
    heading: str = ""
    atomic: bool = True


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
