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

from memory_core.routines.affinity import Affinity
from memory_core.routines.dream.about import about
from memory_core.routines.grounding import ungrounded
from memory_core.routines.optimize.concepts import concepts
from memory_core.routines.optimize.lines import Line, covered, stems
from memory_core.routines.optimize.vectors import Vectors
from memory_core.text import one_line
from memory_core.vault.note import Note

VALUES = 2  # things named with a digit or as code, from which a line is a detail
OPENING = 4  # words of a line that name its subject
SECOND = 0.7  # affinity to the second note, the first having 1.0
NEAR = 0.3  # cosine of the line to the nearest of the note's points and description
SAID = 0.6  # share of the line that the note must have, everything it names besides
SAID_NEAR = 0.5  # cosine to one of its points, without which words alone are chance


@dataclass(frozen=True, slots=True)
class Belongs:
    """A line with the note it belongs to; `said` means that the note says it already."""

    line: Line
    note: Note
    said: bool
    covered: float
    cosine: float


class Notes:
    """The notes as lines are compared with them, read once."""

    def __init__(self, notes: Sequence[Note], read: Callable[[str], str], vectors: Vectors) -> None:
        self.notes, self._vectors = notes, vectors
        self._texts = {note.file: read(note.file) for note in notes}
        self._concepts = {file: concepts(text) for file, text in self._texts.items()}
        self._heads = {note.file: _head(note) for note in notes}
        self._counts = Counter(word for head in self._heads.values() for word in head)
        self._affinity = Affinity(notes)

    def home_of(self, line: Line) -> Belongs | None:
        """The note that a detail belongs in; None for a rule and for what has no single home."""
        if line.is_rule or _values(line) < VALUES:
            return None
        near = sorted(self._affinity.of([line.plain]).items(), key=lambda one: -one[1])
        if not near or (len(near) > 1 and near[1][1] > SECOND):
            return None
        note = next(one for one in self.notes if one.file == near[0][0])
        opening = about(" ".join(line.plain.split()[:OPENING]))
        subjects = [word for word in opening & self._heads[note.file] if self._counts[word] == 1]
        found = self._compared(line, note)
        return found if subjects and found.cosine >= NEAR else None

    def saying(self, line: Line) -> Belongs | None:
        """The note that says all that the line says, with its points nearest to it."""
        near = self._affinity.of([line.plain])
        for file in sorted(near, key=lambda file: -near[file])[:3]:
            note = next(one for one in self.notes if one.file == file)
            found = self._compared(line, note)
            if found.said:
                return found
        return None

    def _compared(self, line: Line, note: Note) -> Belongs:
        text = self._texts[note.file]
        share = covered(line, text, self._concepts[note.file])
        own = [note.description, *(one_line(point.plain) for point in note.points)]
        cosine = max(self._vectors.cosine(line.plain, piece) for piece in own)
        named = not ungrounded(line.plain, [text])
        said = named and share >= SAID and cosine >= SAID_NEAR
        return Belongs(line, note, said, round(share, 2), round(cosine, 2))


def _head(note: Note) -> frozenset[str]:
    return about(" ".join((note.key.replace("-", " "), note.description, *note.tags)))


def _values(line: Line) -> int:
    return sum(bool(re.search(r"[\d/_`]", name)) for name in line.names)
