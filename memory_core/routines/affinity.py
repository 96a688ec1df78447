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
FEWEST = 2  # words that a note must share to be near at all
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

    def of(self, texts: Sequence[str]) -> dict[str, float]:
        """Every note that shares a word with the texts, the nearest with 1.0.

        A word counts more the more of the texts hold it.
        """
        often = Counter(word for text in texts for word in content(text))
        words = set(often)
        found = {
            file: sum(self._rarity[word] * (1 + math.log(often[word])) for word in words & own)
            / self._weight(len(own))
            for file, own in self._words.items() if len(words & own) >= FEWEST
        }  # fmt: skip
        most = max(found.values(), default=0.0)
        return {file: value / most for file, value in found.items()} if most else {}

    def _weight(self, size: int) -> float:
        return _FLAT + (1 - _FLAT) * size / self._mean


def words_of(rows: Sequence[Row], poison: Sequence[str]) -> list[str]:
    """What was said, called and put out, row by row, without poisoned pieces."""
    found = []
    for row in rows:
        text = "\n".join((row.span.text, row.span.input, row.span.output[:READ]))
        for piece in poison:
            text = text.replace(piece, " ")
        found.append(text)
    return found


def _of_note(note: Note) -> set[str]:
    told = (note.key.replace("-", " "), note.description, *note.tags)
    return content("\n".join((*told, *(point.text for point in note.points))))
