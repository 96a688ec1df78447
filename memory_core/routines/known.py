"""Whether the notes say a thing already: a near-duplicate is dropped, never merged.

Alike in meaning is not enough, since a new value sounds like the old one: every number
and every code word of the finding must stand in the note, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memory_core.routines.statements import content, named
from memory_core.text import fold
from memory_core.vault.note import Note

COVERED = 0.7  # share of a finding's words that one note holds
COSINE = 0.8
_ALIKE = 0.5  # the same share where the vectors are near, too


def knows(text: str, note: Note, cosine: float = 0.0) -> bool:
    """Whether a note holds what `text` says; `cosine` is that of its nearest passage."""
    told = "\n".join((note.description, *(point.text for point in note.points)))
    return covers(text, told, near=cosine >= COSINE)


def covers(text: str, told: str, *, near: bool = False) -> bool:
    """Whether `told` has the words, and all numbers and code words, of `text`."""
    return all(_covers(clause, told, near) for clause in clauses(text)[:1])


def _covers(text: str, told: str, near: bool) -> bool:
    wanted, held = content(text), content(told)
    marks = {term for term in wanted if any(map(str.isdigit, term))}
    folded = fold(told.replace("`", ""))
    if not wanted or not marks <= held or not all(fold(name) in folded for name in named(text)):
        return False
    return len(wanted & held) >= (_ALIKE if near else COVERED) * len(wanted)


def clauses(text: str) -> list[str]:
    """The clauses of a text, the one with most content words first."""
    parts = re.split(r"(?<=[^`])[;:] (?=[^`]*(?:`[^`]*`[^`]*)*$)", text)
    return sorted(parts, key=lambda part: -len(content(part)))


def repeated(text: str, others: Iterable[str]) -> bool:
    """Whether an item says what one of the others says already."""
    return any(covers(text, other) or covers(other, text) for other in others)


def nearest_point(text: str, note: Note) -> str:
    """The note's point that shares most words with `text`; empty when none does."""
    wanted = content(text)
    shares: Sequence[tuple[int, str]] = [
        (len(wanted & content(point.text)), point.text) for point in note.points
    ]
    most, best = max(shares, key=lambda share: share[0], default=(0, ""))
    return best if most >= 2 else ""
