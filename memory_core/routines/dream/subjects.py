"""What a statement is about: the points that hold the old side of a change, by likeness.

Words decide where they are plain; where they are not, recall is asked for the note.
"""

from __future__ import annotations

from collections.abc import Sequence

from memory_core.routines.dream.about import about
from memory_core.routines.dream.changes import Change
from memory_core.routines.dream.held import Held, Place
from memory_core.routines.dream.values import Value
from memory_core.routines.dream.window import Said
from memory_core.routines.place import Ask
from memory_core.text import one_line

PLAIN = 1.5  # likeness from which words alone tell what a statement is about
LIKELY = 1.2  # likeness that must do where recall cannot be asked
FAINT = 0.45  # likeness under which recall is not even asked
SUBJECT = 2.0  # likeness that a change without an old side needs
COVERED = 0.6  # share of the words of a thing that is gone, found in the point
RARE = 0.7  # weight from which a single word names a thing
TELLING = 0.4  # weight from which a word is no common one
AROUND = 0.5  # weight of the words said just before
RECALLS = 400  # a window; what comes later is judged by words alone

Ranked = tuple[float, Place]


class Subjects:
    """Finds the points that changes are about; `recalls` counts how often recall was asked."""

    def __init__(self, held: Held, ask: Ask) -> None:
        self.held, self._ask = held, ask
        self.recalls = 0
        self.unavailable = ""

    def of(self, said: Said, changes: Sequence[Change]) -> list[list[Ranked]]:
        """For each change of a statement the points that it is about, the likest first.

        A note that one change is plainly about is believed for the others of the sentence.
        """
        ranked = [self._ranked(said, change) for change in changes]
        sure = {
            place.note.file for ranks in ranked for likeness, place in ranks if likeness >= PLAIN
        }
        recalled: frozenset[str] | None = None
        asked = False
        found: list[list[Ranked]] = []
        for ranks in ranked:
            plain = [one for one in ranks if one[0] >= PLAIN or one[1].note.file in sure]
            if ranks and not plain:
                recalled, asked = (recalled if asked else self._recalled(said)), True
                plain = [one for one in ranks if _agrees(one, recalled)]
            found.append(plain)
        return found

    def likeness(self, said: Said, place: Place) -> float:
        """How much a statement, with what was said around it, shares with a point."""
        own = self.held.likeness(said.terms, place)
        return own + AROUND * self.held.likeness(said.around, place)

    def candidates(self, text: str, change: Change) -> list[Place]:
        """The points that hold the old side of a change, or a rival of its new one."""
        if change.how == "now":
            if not self.held.has_class(value.kind for value in change.new.values):
                return []
            near = self.held.with_terms(about(text))
            return [place for place in near if rivals(place, change.new.values)]
        found = [place for value in change.old.values for place in self.held.with_value(value)]
        if not found or change.how == "gone":
            least = 2 if change.how == "gone" and len(change.old.terms) > 1 else 1
            near = self.held.with_terms(change.old.terms)
            found += [place for place in near if self._covers(place, change.old.terms, least)]
        return [*dict.fromkeys(found)]

    def _ranked(self, said: Said, change: Change) -> list[Ranked]:
        near = [place for place in self.candidates(said.text, change) if not is_older(said, place)]
        scored = sorted(
            ((self.likeness(said, place), place) for place in near), key=lambda one: -one[0]
        )
        if change.how == "now":
            return [one for one in scored if one[0] >= SUBJECT][:1]
        return [one for one in scored if one[0] >= FAINT]

    def _covers(self, place: Place, terms: frozenset[str], least: int) -> bool:
        """Whether a point speaks of a thing: most of its words, or a rare one."""
        shared = terms & place.terms
        weights = {term: self.held.weight(term) for term in terms}
        own = sum(weights[term] for term in terms if term in place.terms or term in place.head)
        rare = len(shared) > 1 or any(weights[term] >= RARE for term in shared)
        return len(shared) >= least and rare and own >= COVERED * sum(weights.values())

    def _recalled(self, said: Said) -> frozenset[str] | None:
        """The notes that recall finds for a statement; None where it cannot be asked."""
        if self.recalls >= RECALLS or self.unavailable:
            return None
        self.recalls += 1
        answer = self._ask("recall", {"query": one_line(said.quote), "limit": 3, "bulk": True})
        if answer.get("status") == "unavailable":
            self.unavailable = str(answer.get("reason") or "no reason given")
            return None
        return frozenset(str(note["source"]) for note in answer.get("notes", ()))


def is_older(said: Said, place: Place) -> bool:
    """Whether the note was rewritten after the statement, and so knows of it."""
    updated = place.note.updated
    return updated is not None and said.on is not None and updated > said.on


def rivals(place: Place, new: Sequence[Value]) -> bool:
    """Whether the point has one other value of the class of a new one, and not the new one.

    A weekday without the old one beside it is a date.
    """
    classes = {value.kind for value in new} - {"", "weekday"}
    own = [value for value in place.values if value.kind in classes]
    return len(own) == 1 and not any(place.has(value) for value in new)


def _agrees(ranked: Ranked, recalled: frozenset[str] | None) -> bool:
    """Whether recall found the note too; where it cannot be asked words must do."""
    likeness, place = ranked
    return likeness >= LIKELY if recalled is None else place.note.file in recalled
