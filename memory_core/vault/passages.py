"""A passage: the piece of a note or memory that is indexed and re-ranked.

A passage is one point under the note's description, since a vector of several points
is near to none of them. Only tiny neighbours under one heading share a passage, and a
point longer than a passage is cut at line, sentence and word borders.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory_core.text import fold
from memory_core.vault.note import Note, Point, shortened

TARGET_TOKENS = 80
PACK_TOKENS = 24  # neighbours share a passage while they weigh no more together
HEAD = 200  # characters of a head
_HEADING = 60  # characters of a heading that opens a body

_WIDE = re.compile("[\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
_BORDERS = (
    re.compile(r"[^\n]*\n|[^\n]+"),
    re.compile(r".+?(?:[.!?;]+\s+|[。！？；]|\Z)", re.DOTALL),
    re.compile(r"\S+\s*|\s+"),
)


@dataclass(frozen=True, slots=True)
class Passage:
    """Neighbouring points of one source under its description.

    `source` is a note's file or `memory:<key>`; `first` and `last` are the indices of
    its points, both included; a source without points has `last` -1. Both legs and the
    re-ranker read `text`.
    """

    source: str
    head: str
    body: str
    first: int = 0
    last: int = 0
    tags: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Head and body, as the models read them."""
        return f"{self.head}\n{self.body}" if self.head else self.body


def split(note: Note, target_tokens: int = TARGET_TOKENS) -> list[Passage]:
    """The note's passages in reading order, at least one.

    A body weighs at most `target_tokens` (see `weight`); heads come on top. Every
    point lies in at least one passage.
    """
    words = " ".join(re.split(r"[-_\s]+", note.key)).strip()
    head = shortened(note.description, HEAD) or words
    tags = note.tags + note.scope
    if not note.points:
        return [Passage(note.file, head, words, 0, -1, tags)]
    return [
        Passage(note.file, head, body, first, last, tags)
        for first, last in _groups(note.points, head, min(PACK_TOKENS, target_tokens))
        for body in _bodies(note.points[first : last + 1], head, target_tokens)
    ]


def weight(text: str) -> float:
    """About how many tokens a model sees: one a wide (CJK) character, a quarter any other."""
    wide = 0 if text.isascii() else len(_WIDE.findall(text))
    return wide + (len(text) - wide) / 4


def _groups(points: tuple[Point, ...], head: str, target: int) -> Iterator[tuple[int, int]]:
    """First and last index of each run of neighbours that fits one passage."""
    first, used = 0, 0.0
    for index, point in enumerate(points):
        cost = weight(point.plain) + 0.25
        apart = index > first and point.heading != points[first].heading
        if index > first and (apart or used + cost > target):
            yield first, index - 1
            first, used = index, 0.0
        if index == first:
            used = weight(_opening(point, head, target))
        used += cost
    yield first, len(points) - 1


def _bodies(points: tuple[Point, ...], head: str, target: int) -> list[str]:
    opening = _opening(points[0], head, target)
    text = "\n".join(point.plain.strip("\r\n") for point in points)
    room = target - weight(opening)
    return [opening + piece for piece in pieces(text, room)] or [opening.strip()]


def _opening(point: Point, head: str, target: int) -> str:
    """The heading as a first line, unless the head says it already or it takes half the room."""
    heading = shortened(point.heading, _HEADING)
    if not heading or fold(heading) in fold(head) or heading in point.text:
        return ""
    return f"{heading}\n" if weight(heading) + 0.25 <= target / 2 else ""


def pieces(text: str, room: float, level: int = 0) -> list[str]:
    """`text` in pieces that weigh at most `room`, cut at the widest borders that do it."""
    if weight(text) <= room:
        return [text] if text.strip() else []
    found: list[str] = []
    held, used = "", 0.0
    for part in _parts(text, level):
        cost = weight(part)
        if used + cost <= room:
            held, used = held + part, used + cost
            continue
        found.append(held)
        held, used = (part, cost) if cost <= room else ("", 0.0)
        if cost > room:
            found += pieces(part, room, level + 1) if level < len(_BORDERS) else [part]
    return [piece.strip() for piece in [*found, held] if piece.strip()]


def _parts(text: str, level: int) -> Iterator[str]:
    if level >= len(_BORDERS):
        yield from text
        return
    for match in _BORDERS[level].finditer(text):
        yield match.group()
