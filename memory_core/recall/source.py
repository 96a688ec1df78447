"""What recall searches: notes and memories as sources of passages."""

from __future__ import annotations

from dataclasses import dataclass, field

from memory_core.vault.note import Note, Point
from memory_core.vault.passages import Passage

NOTES = "notes"


@dataclass(frozen=True, slots=True)
class Source:
    """One note or memory.

    `id` is unique in the index; `name` is what an answer shows (a file, or
    `memory:<key>`). `group` is `notes` or the bank's id. `points` are verbatim, in
    order; each passage covers points `first..last`.
    """

    id: str
    name: str
    passages: tuple[Passage, ...]
    points: tuple[Point, ...]
    group: str = NOTES
    description: str = ""
    updated: str = ""
    scope: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    keys: tuple[str, ...] = field(default=())  # further words it is found by: key, tags, scope


def of_note(note: Note, passages: tuple[Passage, ...]) -> Source:
    """A vault's note as a source; its front matter is found by words and filters nothing."""
    return Source(
        id=note.file,
        name=note.file,
        passages=passages,
        points=note.points,
        description=note.description,
        updated=note.updated.isoformat() if note.updated else "",
        scope=note.scope,
        tags=note.tags,
        keys=(note.key, *note.tags, *note.scope),
    )


@dataclass(frozen=True, slots=True)
class Visible:
    """What one request may see: groups, less the sources hidden by scope or shadowing."""

    groups: frozenset[str] = frozenset({NOTES})
    hidden: frozenset[str] = frozenset()


NOTES_ONLY = Visible()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a passage stands: its source and its position among the source's passages."""

    source: str
    ordinal: int
