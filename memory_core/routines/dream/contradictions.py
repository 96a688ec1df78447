"""Contradictions: points of notes that something said later does not leave true.

A statement of a change is laid beside the points that hold its old side; what it is about
must agree. Of several statements on one point the last in the order of evidence counts;
one that goes back to what the note says takes the finding away.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from memory_core.routines.dream import changes, stances
from memory_core.routines.dream.changes import Change
from memory_core.routines.dream.findings import Contradiction
from memory_core.routines.dream.held import Held, Place
from memory_core.routines.dream.subjects import FAINT, PLAIN, TELLING, Ranked, Subjects, is_older
from memory_core.routines.dream.values import Value
from memory_core.routines.dream.window import Said
from memory_core.routines.place import Ask
from memory_core.text import one_line

_WITHIN = 0.75  # share of the best likeness that another point of the same change needs


@dataclass(slots=True)
class _Slot:
    """What one point says, and what has been said about it since."""

    place: Place
    old: str
    old_values: tuple[Value, ...] = ()
    now: tuple[Value, ...] = ()
    new: str = ""
    said: list[Said] = field(default_factory=list)
    weight: float = 0.0

    def say(self, said: Said, new: str, now: tuple[Value, ...] = (), weight: float = 0.0) -> None:
        """Take a later statement in."""
        self.said.append(said)
        self.new, self.now, self.weight = new, now, max(self.weight, weight)


class Contradictions:
    """Collects statements of a window, then tells which points they contradict."""

    def __init__(self, held: Held, ask: Ask) -> None:
        self.subjects = Subjects(held, ask)
        self._said: list[Said] = []
        self._slots: dict[tuple[str, int, str], _Slot] = {}
        self._stances, self._attributes = _facts(held.places)
        self._of = {own.of for _, own in self._attributes}

    def matters(self, text: str) -> bool:
        """A first look at a sentence: whether anything could come of it here."""
        if changes.cue(text) and any(
            change.old.values or self.subjects.candidates(text, change)
            for change in changes.changes(text)
        ):
            return True
        if changes.keeps(text):
            return True
        taken = stances.stance(text) if self._stances else None
        if taken and any(own.opposes(taken) for _, own in self._stances):
            return True
        told = stances.attribute(text) if self._of else None
        return told is not None and told.of in self._of

    def add(self, said: Said) -> None:
        """Take a statement in, in any order."""
        self._said.append(said)

    def found(self) -> list[Contradiction]:
        """One finding for each point that no longer holds."""
        for said in sorted(self._said, key=lambda one: one.order):
            self._judge(said)
        by_point: dict[int, list[_Slot]] = defaultdict(list)
        for slot in self._slots.values():
            if slot.said:
                by_point[id(slot.place)].append(slot)
        return [_finding(slots) for slots in by_point.values()]

    def _judge(self, said: Said) -> None:
        self._revert(said)
        found = [one for one in changes.changes(said.text) if _is_believed(said, one)]
        for change, ranked in zip(found, self.subjects.of(said, found), strict=True):
            if ranked:
                self._change(said, change, ranked)
            else:
                self._chain(said, change)
        if (said.source == "user" or said.agreed) and not changes.is_doubtful(said.text):
            self._flip(said)

    def _change(self, said: Said, change: Change, ranked: Sequence[Ranked]) -> None:
        best, first = ranked[0]
        for likeness, place in ranked:
            if likeness >= _WITHIN * best and place.note is first.note:
                self._put(said, change, place, likeness)

    def _put(self, said: Said, change: Change, place: Place, likeness: float) -> None:
        new = change.new.values
        if (new and all(place.has(value) for value in new)) or self._tells(place, change):
            return  # the note has it already
        old = tuple(v for v in place.values if any(v.equals(one) for one in change.old.values))
        shown = next((v.text for v in change.old.values if place.has(v)), "")
        if change.how == "now":
            old = tuple(v for v in place.values if any(v.is_like(one) for one in new))
            shown = old[0].text if old else ""
        slot = self._slot(place, shown or one_line(place.point.plain), old)
        slot.say(said, new[0].text if new else said.text, new, likeness)

    def _slot(self, place: Place, old: str, values: tuple[Value, ...] = ()) -> _Slot:
        key = (place.note.file, place.point.line, values[0].norm if values else "")
        return self._slots.setdefault(key, _Slot(place, old, values))

    def _tells(self, place: Place, change: Change) -> bool:
        """Whether the words of the new side, where it has no value, stand in the point."""
        weight = self.subjects.held.weight
        rare = {term for term in change.new.terms - change.old.terms if weight(term) >= TELLING}
        return not change.new.values and bool(rare) and rare <= place.terms

    def _chain(self, said: Said, change: Change) -> None:
        """A change of what an earlier statement of the window had changed."""
        for slot in self._slots.values():
            same = any(now.equals(old) for now in slot.now for old in change.old.values)
            if slot.said and same and self.subjects.likeness(said, slot.place) >= PLAIN:
                new = change.new.values
                slot.say(said, new[0].text if new else said.text, new)

    def _revert(self, said: Said) -> None:
        """Things stay, or go back to, what the note says."""
        kept = changes.keeps(said.text)
        for slot in self._slots.values() if kept else ():
            back = any(value.equals(old) for value in kept for old in slot.old_values)
            if slot.said and back and self.subjects.likeness(said, slot.place) >= FAINT:
                slot.said.clear()

    def _flip(self, said: Said) -> None:
        """The opposite stance, or the same thing with another value."""
        taken, told = stances.stance(said.text), stances.attribute(said.text)
        if taken:
            for place, stance in self._stances:
                if stance.opposes(taken) and not is_older(said, place):
                    slot = self._slot(place, one_line(place.point.plain))
                    slot.say(said, said.text, weight=PLAIN)
        if told:
            for place, own in self._attributes:
                if own.differs(told) and not is_older(said, place):
                    self._slot(place, own.told).say(said, told.told, weight=PLAIN)


def _is_believed(said: Said, change: Change) -> bool:
    """Whether its speaker can be believed: a user, or an agent with whom the user agreed."""
    if said.source == "user":
        return True
    told = {value.norm for value in change.new.values}
    return change.how != "now" and said.agreed and not told & said.from_web


def _facts(
    places: Iterable[Place],
) -> tuple[list[tuple[Place, stances.Stance]], list[tuple[Place, stances.Attribute]]]:
    likes, attributes = [], []
    for place in places:
        text = one_line(place.point.plain)
        if (own := stances.stance(text)) is not None:
            likes.append((place, own))
        if (attribute := stances.attribute(text)) is not None:
            attributes.append((place, attribute))
    return likes, attributes


def _finding(slots: Sequence[_Slot]) -> Contradiction:
    """What was said about one point, the last of all in the end."""
    said = sorted(
        {id(one): one for slot in slots for one in slot.said}.values(), key=lambda one: one.order
    )
    place = slots[0].place
    return Contradiction(
        place.note, place.point,
        ", ".join(dict.fromkeys(slot.old for slot in slots)),
        ", ".join(dict.fromkeys(slot.new for slot in slots)),
        tuple(dict.fromkeys(one.evidence() for one in said)),
        max(slot.weight for slot in slots), said[-1].on,
    )  # fmt: skip
