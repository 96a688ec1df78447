"""Notes whose points are about two things: a run of points apart from all the others.

Apart means that the points of the run are near to one another, and neither near to the
other points nor of the same words; what the note is called by belongs to one side alone.
Only a section under a heading of its own can be split off, since a note needs a name and
none is made up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from memory_core.routines.optimize.lines import stems
from memory_core.routines.optimize.vectors import Vector, Vectors
from memory_core.text import one_line
from memory_core.vault.note import Note, Point

SIDE = 3  # points on each side
APART = 0.15  # mean cosine across, at most
TOGETHER = 0.15  # by so much the run is nearer to itself than to the others
MOST = 60  # points of a note that are compared


@dataclass(frozen=True, slots=True)
class Mixed:
    """A run of points apart from the rest; cosines are means of pairs.

    `section` says that the run is all that stands under its heading.
    """

    note: Note
    run: tuple[Point, ...]
    within: float
    across: float
    section: bool


def mixed(notes: Sequence[Note], vectors: Vectors) -> Iterator[Mixed]:
    """Each note's run that is most apart, if any is; nothing without vectors."""
    for note in notes:
        if 2 * SIDE <= len(note.points) <= MOST:
            rows = vectors.matrix([one_line(point.plain) for point in note.points])
            if rows is not None and (found := _of(note, rows)):
                yield found


def section(found: Mixed, text: str) -> str:
    """The run with its heading, verbatim; "" where it is no section of its own."""
    if not found.section:
        return ""
    lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)
    first, heading = found.run[0].line - 1, found.run[0].heading
    start = next((at for at in range(first - 1, -1, -1) if lines[at].strip()), -1)
    if start < 0 or lines[start].strip().strip("# ").strip() != heading:
        return ""
    last = found.run[-1].line - 1 + len(re.findall(r"\r\n?|\n", found.run[-1].text))
    return "".join(lines[start : last + 1]).rstrip("\r\n")


def _of(note: Note, rows: Vector) -> Mixed | None:
    cosines = rows @ rows.T
    found = [one for run in _runs(note) if (one := _apart(note, run, cosines))]
    return max(found, key=lambda one: (one.within - one.across, one.section), default=None)


def _runs(note: Note) -> Iterator[range]:
    """Sections, and ends of a note without any; a run in the middle has two seams."""
    points = note.points
    headings = [point.heading for point in points]
    if len(set(headings)) > 1:
        starts = [at for at in range(len(points)) if at == 0 or headings[at] != headings[at - 1]]
        for first, last in zip(starts, [*starts[1:], len(points)], strict=True):
            yield range(first, last)
        return
    for start in range(SIDE, len(points) - SIDE + 1):
        yield range(start, len(points))


def _apart(note: Note, run: range, cosines: Vector) -> Mixed | None:
    inside = list(run)
    outside = [at for at in range(len(note.points)) if at not in run]
    if len(inside) < SIDE or len(outside) < SIDE:
        return None
    across = float(cosines[np.ix_(inside, outside)].mean())
    within = _within(cosines, inside)
    if across > APART or within < across + TOGETHER or _share_words(note, inside, outside):
        return None
    section = bool(note.points[inside[0]].heading) and inside[0] > 0
    run_points = tuple(note.points[at] for at in inside)
    return Mixed(note, run_points, round(within, 2), round(across, 2), section)


def _within(cosines: Vector, places: list[int]) -> float:
    own = cosines[np.ix_(places, places)]
    count = len(places)
    return float((own.sum() - np.trace(own)) / (count * (count - 1)))


def _share_words(note: Note, inside: list[int], outside: list[int]) -> bool:
    """Whether both sides speak of the note's own subject, or have many words in common."""
    one, other = (_stems(note, places) for places in (inside, outside))
    head = stems(f"{note.key.replace('-', ' ')} {note.description}")
    if head & one and head & other:
        return True
    return len(one & other) > 0.1 * min(len(one), len(other))


def _stems(note: Note, places: list[int]) -> frozenset[str]:
    return frozenset().union(*(stems(note.points[at].plain) for at in places))
