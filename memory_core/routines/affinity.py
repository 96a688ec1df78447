"""What a stretch of talk is about: the rare words that it shares with each note.

Recall reads one sentence; a session names its subject once and then says "it". The words
of the whole talk, calls and outputs included, tell the note that it moves around. It also
works across languages, by names and numbers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from memory_core.routines.statements import Row, content
from memory_core.vault.note import Note

READ = 3_000  # characters of one output
_FLAT = 0.4  # part of a note's length that does not weigh


class Affinity:
    """The notes by their words; rare words count more, long notes less."""

    def __init__(self, notes: Iterable[Note]) -> None:
        self._words = {note.file: _of_note(note) for note in notes}
        counts = Counter(word for words in self._words.values() for word in words)
        total = len(self._words)
        self._rarity = {
            word: math.log(1 + (total - count + 0.5) / (count + 0.5))
            for word, count in counts.items()
        }
        sizes = [len(words) for words in self._words.values()]
        self._mean = sum(sizes) / len(sizes) if sizes else 1.0

    def of(self, text: str) -> dict[str, float]:
        """Every note that shares a word with `text`, the nearest with 1.0."""
        words = content(text)
        found = {
            file: sum(self._rarity[word] for word in words & own) / self._weight(len(own))
            for file, own in self._words.items() if words & own
        }  # fmt: skip
        most = max(found.values(), default=0.0)
        return {file: value / most for file, value in found.items()} if most else {}

    def _weight(self, size: int) -> float:
        return _FLAT + (1 - _FLAT) * size / self._mean


def words_of(rows: Sequence[Row], poison: Sequence[str]) -> str:
    """Everything that was said, called and put out, without poisoned pieces."""
    text = "\n".join(
        part for row in rows for part in (row.span.text, row.span.input, row.span.output[:READ])
    )
    for piece in poison:
        text = text.replace(piece, " ")
    return text


def _of_note(note: Note) -> set[str]:
    told = (note.key.replace("-", " "), note.description, *note.tags)
    return content("\n".join((*told, *(point.text for point in note.points))))
