"""What the notes hold: their points by value and by word, to find what a statement is about.

A shared word weighs by its rarity among the points: 1.0 is a word of one point only.
Numbers weigh less, short ones a third, since numbers meet by chance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log

from memory_core.routines.dream.about import about
from memory_core.routines.dream.values import Value, values
from memory_core.vault.note import Note, Point

_SHORT, _LONG = 1 / 3, 0.8  # weights of a number of up to three digits, and of a longer one
_HEAD = 0.5  # weight of a word that only the note's description or key has


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A point of a note with its values and words; `head` are the note's own words."""

    note: Note
    point: Point
    values: tuple[Value, ...]
    terms: frozenset[str]
    head: frozenset[str]

    def has(self, value: Value) -> bool:
        """Whether the point states this value."""
        return any(own.equals(value) for own in self.values)


class Held:
    """The points of all notes, indexed once."""

    def __init__(self, notes: Sequence[Note]) -> None:
        self.places = [place for note in notes for place in _places(note)]
        self._by_value: dict[str, list[Place]] = defaultdict(list)
        self._by_term: dict[str, list[Place]] = defaultdict(list)
        for place in self.places:
            for norm in {value.norm for value in place.values}:
                self._by_value[norm].append(place)
            for term in place.terms:
                self._by_term[term].append(place)
        self._classes = {value.kind for place in self.places for value in place.values}
        self._of_note: dict[str, list[Place]] = defaultdict(list)
        for place in self.places:
            self._of_note[place.note.file].append(place)
        self._span = log(len(self.places) + 1) or 1.0

    def of_note(self, file: str) -> list[Place]:
        """The points of a note."""
        return self._of_note.get(file, [])

    def has_class(self, classes: Iterable[str]) -> bool:
        """Whether any point has a value of one of these classes."""
        return any(one in self._classes for one in classes if one)

    def with_value(self, value: Value) -> list[Place]:
        """The points that state a value."""
        return [place for place in self._by_value.get(value.norm, ()) if place.has(value)]

    def with_terms(self, terms: Iterable[str], most: int = 60) -> list[Place]:
        """The points with any of the words, without those that more than `most` have."""
        found = {
            id(place): place
            for term in terms
            if len(self._by_term.get(term, ())) <= most
            for place in self._by_term.get(term, ())
        }
        return list(found.values())

    def weight(self, term: str) -> float:
        """How much a shared word says, 0..1."""
        count = len(self._by_term.get(term, ()))
        rare = log((len(self.places) + 1) / max(1, count)) / self._span
        digits = term.replace(".", "").replace(":", "").replace(",", "")
        if not digits.isdigit():
            return rare
        return rare * (_SHORT if len(digits) <= 3 else _LONG)

    def likeness(self, terms: Iterable[str], place: Place) -> float:
        """The weight of the words that a point, or its note's head, shares."""
        return sum(
            self.weight(term) * (1.0 if term in place.terms else _HEAD)
            for term in terms
            if term in place.terms or term in place.head
        )


def _places(note: Note) -> Iterable[Place]:
    head = about(f"{note.description} {note.key.replace('-', ' ')}")
    for point in note.points:
        yield Place(note, point, tuple(values(point.text)), about(point.text), head)
