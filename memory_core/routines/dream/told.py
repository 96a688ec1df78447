"""Commands that notes tell: each code span or block that is one, with its note and point."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memory_core.routines.dream import steps
from memory_core.routines.dream.steps import Step
from memory_core.vault.note import Note, Point

_SPAN = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]+?)\1(?!`)")
_FENCE = re.compile(r"(?ms)^[ \t]*(?:```+|~~~+)[^\n]*\n(.*?)(?:^[ \t]*(?:```|~~~)|\Z)")
_PLAIN = re.compile(r"^[\w./~$@{<-][^\n]*$")


@dataclass(frozen=True, slots=True)
class Told:
    """A command as a point of a note tells it; `text` is the span or the line."""

    note: Note
    point: Point
    text: str
    step: Step


def commands(notes: Iterable[Note]) -> list[Told]:
    """Every command of the notes that says something of its own or has arguments."""
    return [
        Told(note, point, text, step)
        for note in notes
        for point in note.points
        for text in _texts(point.text)
        for step in steps.of_command(text)
        if len(step.tokens) > 1 or not step.general
    ]


def _texts(text: str) -> Iterator[str]:
    for block in _FENCE.findall(text):
        yield from (line.strip().removeprefix("$ ") for line in block.splitlines() if line.strip())
    for _, span in _SPAN.findall(_FENCE.sub("", text)):
        if _PLAIN.match(span):
            yield span.strip()
