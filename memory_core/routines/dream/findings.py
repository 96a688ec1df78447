"""Findings: what a dream found, each with the quotes that show it; what `draft` makes items of."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from memory_core.proposals.item import Evidence
from memory_core.routines.dream.procedures import Procedure
from memory_core.vault.note import Note, Point


@dataclass(frozen=True, slots=True)
class Known:
    """A procedure with the note that tells most of it; `missing` are indices of its parts."""

    procedure: Procedure
    note: Note | None = None
    point: Point | None = None
    missing: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A point that no longer holds: what it says, and what was said last, verbatim.

    `evidence` is in the order of saying; its last piece is the one that counts now.
    """

    note: Note
    point: Point
    old: str
    new: str
    evidence: tuple[Evidence, ...]
    weight: float
    on: date | None = None


@dataclass(frozen=True, slots=True)
class Superseded:
    """A note that a newer one replaces; `quote` is what the newer one says, verbatim.

    `point` is what it contradicts in the older note, `linked` whether the newer one says so.
    """

    older: Note
    newer: Note
    point: Point
    quote: str
    linked: bool
    likeness: float = 0.0


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Two notes that say the same, with the numbers that show it; never merged by themselves.

    `alike` is the mean cosine of the points to their nearest, `aligned` the share above
    the limit, `shared` of `values` values stand in both.
    """

    one: Note
    other: Note
    alike: float
    aligned: float
    shared: int
    values: int


@dataclass(frozen=True, slots=True)
class Failure:
    """A command of a note that failed, how, and what worked instead ("" if nothing did)."""

    note: Note
    point: Point
    command: str
    error: str
    worked: str
    evidence: tuple[Evidence, ...]
    on: date | None = None


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything that the window showed; `sessions` and `turns` count what was read."""

    sessions: int = 0
    turns: int = 0
    procedures: tuple[Known, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    superseded: tuple[Superseded, ...] = ()
    duplicates: tuple[Duplicates, ...] = ()
    failures: tuple[Failure, ...] = ()
    notices: tuple[str, ...] = ()
