"""Lines of the always-loaded file that belong in a note, or that a note says as well.

A detail of one subject is carried at every start and needed at few. It is one where the
line opens with the subject of a single note, names values of it, has its rare words in
common with that note far more than with any other, and is no rule for the agent: a rule
holds at every start, wherever else it is written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memory_core.errors import BadInput, NotFound
from memory_core.routines.affinity import Affinity
from memory_core.routines.dream.about import about
from memory_core.routines.grounding import ungrounded
from memory_core.routines.optimize.lines import Line, covered
from memory_core.routines.optimize.vectors import Vectors
from memory_core.text import one_line
from memory_core.vault.note import Note

VALUES = 2  # things named with a digit or as code, from which a line is a detail
OPENING = 4  # words of a line that name its subject
SECOND = 0.7  # affinity to the second note, the first having 1.0
NEAR = 0.3  # cosine of the line to the nearest of the note's points and description
SAID = 0.6  # share of a detail that its note must have, all that it names besides
REPEATED = 0.85  # the same share for a line that nothing ties to the note
SAID_NEAR = 0.5  # cosine to one of its points, without which words alone are chance
LOOKED_AT = 3  # notes that are compared with a line


@dataclass(frozen=True, slots=True)
class Belongs:
    """A line with a note; `said` means that the note says it already.

    `covered` is the share of the line that the note has, `cosine` that of its nearest point.
    """

    line: Line
    note: Note
    said: bool
    covered: float
    cosine: float


class Homes:
    """The notes as lines are compared with them; a note is read when a line is near it."""

    def __init__(self, notes: Sequence[Note], read: Callable[[str], str], vectors: Vectors) -> None:
        self._notes = {note.file: note for note in notes}
        self._read, self._vectors = read, vectors
        self._heads = {note.file: _head(note) for note in notes}
        self._counts = Counter(word for head in self._heads.values() for word in head)
        self._affinity = Affinity(notes)

    def home_of(self, line: Line) -> Belongs | None:
        """The note that a detail belongs in; None for a rule and for what has no single home."""
        if line.is_rule or _values(line) < VALUES:
            return None
        near = self._near(line)
        if not near or (len(near) > 1 and near[1][1] > SECOND):
            return None
        file = near[0][0]
        opening = about(" ".join(line.plain.split()[:OPENING]))
        if not any(self._counts[word] == 1 for word in opening & self._heads[file]):
            return None
        found = self._compared(line, self._notes[file], SAID)
        return found if found.cosine >= NEAR else None

    def saying(self, line: Line) -> Belongs | None:
        """The note that says all that the line says."""
        for file, _ in self._near(line)[:LOOKED_AT]:
            found = self._compared(line, self._notes[file], REPEATED)
            if found.said:
                return found
        return None

    def _near(self, line: Line) -> list[tuple[str, float]]:
        near = self._affinity.of([line.plain])
        return sorted(near.items(), key=lambda one: (-one[1], one[0]))

    def _compared(self, line: Line, note: Note, least: float) -> Belongs:
        text = self._text(note)
        pieces = [note.description, *(one_line(point.plain) for point in note.points)]
        self._vectors.learn((line.plain, *pieces))
        cosine = max(self._vectors.cosine(line.plain, piece) for piece in pieces)
        share = covered(line, text)
        named = not ungrounded(line.plain, [text])
        said = named and share >= least and cosine >= SAID_NEAR
        return Belongs(line, note, said, round(share, 2), round(cosine, 2))

    def _text(self, note: Note) -> str:
        try:
            return self._read(note.file)
        except (NotFound, BadInput):  # gone since the notes were listed
            return "\n".join(point.text for point in note.points)


def _head(note: Note) -> frozenset[str]:
    return about(" ".join((note.key.replace("-", " "), note.description, *note.tags)))


def _values(line: Line) -> int:
    return sum(bool(re.search(r"[\d/_`]", name)) for name in line.names)
