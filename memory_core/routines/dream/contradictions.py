"""Contradictions: points of notes that something said later does not leave true.

A statement of a change is laid beside the points that hold its old side; what it is about
must agree, by its own words and by those said just before. Where that is not plain, recall
is asked for the note. Of several statements on one point the last in the order of
evidence counts; one that goes back to what the note says takes the finding away.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from memory_core.routines.dream import changes, stances
from memory_core.routines.dream.changes import Change
from memory_core.routines.dream.findings import Contradiction
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
AROUND = 0.5  # weight of the words said just before
RECALLS = 400  # a window; what comes later is judged by words alone
_WITHIN = 0.75  # share of the best likeness that another point of the same change needs


@dataclass(slots=True)
class _Slot:
    """What one point says, and what has been said about it since."""

    place: Place
    old: str
    old_values: tuple[Value, ...]
    now: tuple[Value, ...]
    new: str
    said: list[Said] = field(default_factory=list)
    weight: float = 0.0


class Contradictions:
    """Collects statements of a window, then tells which points they contradict."""

    def __init__(self, held: Held, ask: Ask) -> None:
        self._held, self._ask = held, ask
        self._said: list[Said] = []
        self._slots: dict[tuple[str, int, str], _Slot] = {}
        self.recalls = 0
        self.unavailable = ""
        self._stances, self._attributes = _facts(held.places)

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
        found = [one for one in changes.changes(said.text) if self._counts(said, one)]
        ranked = [self._ranked(said, change) for change in found]
        sure = {place.note.file for ranks in ranked for at, place in ranks if at >= PLAIN}
        unsure: frozenset[str] | None = None
        asked = False
        for change, ranks in zip(found, ranked, strict=True):
            plain = [one for one in ranks if one[0] >= PLAIN or one[1].note.file in sure]
            if ranks and not plain:
                unsure, asked = (unsure if asked else self._recalled(said)), True
                plain = [one for one in ranks if self._agrees(one, unsure)]
            self._change(said, change, plain)
        if said.source == "user" and not changes.is_doubtful(said.text):
            self._flip(said)

    def _agrees(self, ranked: tuple[float, Place], recalled: frozenset[str] | None) -> bool:
        """Whether recall found the note too; where it cannot be asked words must do."""
        likeness, place = ranked
        return likeness >= LIKELY if recalled is None else place.note.file in recalled

    def _counts(self, said: Said, change: Change) -> bool:
        """Whether its speaker can be believed: a user, or an agent with whom the user agreed."""
        if said.source == "user":
            return True
        told = {value.norm for value in change.new.values}
        return change.how != "now" and said.agreed and not told & said.from_web

    def _change(self, said: Said, change: Change, ranked: list[tuple[float, Place]]) -> None:
        if not ranked:
            self._chain(said, change)
            return
        best = ranked[0][0]
        for likeness, place in ranked:
            if likeness >= _WITHIN * best and place.note is ranked[0][1].note:
                self._put(said, change, place, likeness)

    def _ranked(self, said: Said, change: Change) -> list[tuple[float, Place]]:
        """The points that hold the old side and may be about the same, the likest first."""
        scored = sorted(
            ((self._likeness(said, place), place) for place in self._candidates(said, change)),
            key=lambda one: -one[0],
        )
        scored = [one for one in scored if not self._is_older(said, one[1])]
        if change.how == "now":
            return [one for one in scored if one[0] >= SUBJECT][:1]
        return [one for one in scored if one[0] >= FAINT]

    def _candidates(self, said: Said, change: Change) -> list[Place]:
        if change.how == "now":
            near = self._held.with_terms(said.terms)
            return [place for place in near if _rivals(place, change.new.values)]
        found = [place for value in change.old.values for place in self._held.with_value(value)]
        if not found or change.how == "gone":
            least = 2 if change.how == "gone" and len(change.old.terms) > 1 else 1
            found += [place for place in self._held.with_terms(change.old.terms)
                      if self._covers(place, change.old.terms, least)]  # fmt: skip
        return [*dict.fromkeys(found)]

    def _covers(self, place: Place, terms: frozenset[str], least: int) -> bool:
        """Whether a point speaks of a thing: most of its words, or a rare one."""
        shared = terms & place.terms
        weights = {term: self._held.weight(term) for term in terms}
        own = sum(weights[term] for term in terms if term in place.terms or term in place.head)
        rare = len(shared) > 1 or any(weights[term] >= RARE for term in shared)
        return len(shared) >= least and rare and own >= COVERED * sum(weights.values())

    def _likeness(self, said: Said, place: Place) -> float:
        own = self._held.likeness(said.terms, place)
        return own + AROUND * self._held.likeness(said.around, place)

    def _is_older(self, said: Said, place: Place) -> bool:
        """Whether the note was rewritten after the statement, and so knows of it."""
        updated = place.note.updated
        return updated is not None and said.on is not None and updated > said.on

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

    def _put(self, said: Said, change: Change, place: Place, likeness: float) -> None:
        shown = next((v.text for v in change.old.values if place.has(v)), "")
        rivals = [v for v in place.values if any(v.is_like(n) for n in change.new.values)]
        old = tuple(v for v in place.values if any(v.equals(o) for o in change.old.values))
        if change.how == "now":
            old, shown = tuple(rivals), rivals[0].text if rivals else ""
        new = change.new.values
        if (new and all(place.has(value) for value in new)) or self._tells(place, change):
            return  # the note has it already
        key = (place.note.file, place.point.line, old[0].norm if old else "")
        slot = self._slots.setdefault(
            key, _Slot(place, shown or one_line(place.point.plain), old, (), "")
        )
        slot.said.append(said)
        slot.now, slot.new = new, new[0].text if new else said.text
        slot.weight = max(slot.weight, likeness)

    def _tells(self, place: Place, change: Change) -> bool:
        """Whether the words of the new side, where it has no value, stand in the point."""
        rare = {term for term in change.new.terms - change.old.terms if self._held.weight(term) >= RARE}
        return not change.new.values and bool(rare) and rare <= place.terms

    def _chain(self, said: Said, change: Change) -> None:
        """A change of what an earlier statement of the window had changed."""
        for slot in self._slots.values():
            same = any(now.equals(old) for now in slot.now for old in change.old.values)
            if slot.said and same and self._likeness(said, slot.place) >= PLAIN:
                slot.said.append(said)
                slot.now = change.new.values
                slot.new = change.new.values[0].text if change.new.values else said.text

    def _revert(self, said: Said) -> None:
        """Things stay, or go back to, what the note says."""
        kept = changes.keeps(said.text)
        for slot in self._slots.values() if kept else ():
            back = any(value.equals(old) for value in kept for old in slot.old_values)
            if slot.said and back and self._likeness(said, slot.place) >= FAINT:
                slot.said.clear()

    def _flip(self, said: Said) -> None:
        """The opposite stance, or the same thing with another value."""
        taken, told = stances.stance(said.text), stances.attribute(said.text)
        pairs: list[tuple[Place, str]] = []
        if taken:
            pairs = [(place, "") for place, own in self._stances if own.opposes(taken)]
        if told:
            pairs += [(place, own.told) for place, own in self._attributes if own.differs(told)]
        for place, old in pairs:
            if not self._is_older(said, place):
                key = (place.note.file, place.point.line, old)
                slot = self._slots.setdefault(
                    key, _Slot(place, old or place.point.plain, (), (), "")
                )
                slot.said.append(said)
                slot.new = told.told if told and old else said.text
                slot.weight = max(slot.weight, PLAIN)


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


def _rivals(place: Place, new: Sequence[Value]) -> bool:
    """Whether the point has another value of the same class as a new one, and not the new one."""
    own = [v for v in place.values if any(v.kind and v.kind == n.kind for n in new)]
    return len(own) == 1 and not any(place.has(value) for value in new)


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


def may_matter(text: str) -> bool:
    """A cheap look at a sentence: whether anything here could come of it."""
    return bool(
        changes.cue(text) or changes.keeps(text)
        or stances.stance(text) or stances.attribute(text)
    )  # fmt: skip
