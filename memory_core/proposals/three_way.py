"""A three-way merge by lines: both sides' changes of one base, or nothing where they clash."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import pairwise

Hunk = tuple[int, int, tuple[str, ...]]  # lines of the base from, to; what they become


def merged(base: str, ours: str, theirs: str) -> str | None:
    """The base with the changes of both sides; None where both changed the same lines.

    The same change on both sides counts once; changes that only touch do not clash.
    """
    if ours in (base, theirs):
        return theirs
    if theirs == base:
        return ours
    lines = base.split("\n")
    hunks = sorted({*_hunks(lines, ours.split("\n")), *_hunks(lines, theirs.split("\n"))})
    for earlier, later in pairwise(hunks):
        if _clash(earlier, later):
            return None
    found: list[str] = []
    at = 0
    for start, end, fresh in hunks:
        found += [*lines[at:start], *fresh]
        at = max(at, end)
    return "\n".join([*found, *lines[at:]])


def _hunks(base: list[str], other: list[str]) -> list[Hunk]:
    matcher = SequenceMatcher(None, base, other, autojunk=False)
    return [
        (start, end, tuple(other[first:last]))
        for tag, start, end, first, last in matcher.get_opcodes()
        if tag != "equal"
    ]


def _clash(earlier: Hunk, later: Hunk) -> bool:
    """Sorted hunks clash when they overlap, or both insert at one place."""
    if earlier[:2] == later[:2]:
        return True
    return later[0] < earlier[1]
