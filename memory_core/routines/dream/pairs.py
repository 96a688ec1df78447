"""Pairs of notes on the same subject: one supersedes the other, or both say the same.

Vectors find which points face each other; what they say is compared by value. Where the
values agree the notes are near-duplicates, where they differ the newer one supersedes. No
likeness merges anything: two points that differ in a word may be two facts.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from memory_core.errors import RecallUnavailable
from memory_core.routines.dream.findings import Duplicates, Superseded
from memory_core.routines.dream.held import Held, Place
from memory_core.routines.place import Ask
from memory_core.routines.superseding import supersessions
from memory_core.text import fold, one_line
from memory_core.vault.note import Note

SHARED = 0.3  # weight of the shared words by that of the smaller note, to be looked at
OF_LARGER = 0.15  # and by that of the larger one
ALIKE = 0.58  # mean cosine of the points of the smaller note to their nearest
FACING = 0.6  # cosine from which two points face each other
ALIGNED = 0.6  # share of the smaller note's points that face one of the other
POINTS = 3  # a smaller note is too little to compare
AGREE = 0.5  # share of the values that both have, from which they say the same
BATCH = 64  # texts a request
_COMMON = 40  # notes that a word may be in and still bring two together

_NEUTRAL_WORDS = """
    old new current now previous former latest draft note notes howto guide rules setup info alt neu
    aktuell gammel ny nye alte neue spring summer autumn fall winter januar january februar february
    march marz mars april may mai june juni july juli august september october oktober november
    december dezember desember
"""
_NEUTRAL = frozenset(_NEUTRAL_WORDS.split())

Matrix = npt.NDArray[np.float32]

_LINK = re.compile(r"\[\[([^\[\]|#\n]+)[^\[\]\n]*\]\]")


def superseded_by_link(notes: Sequence[Note]) -> list[tuple[Note, Note, str]]:
    """Older note, newer note and the sentence of the newer one that says so."""
    keys = {note.key: note for note in notes}
    found: dict[tuple[str, str], tuple[Note, Note, str]] = {}
    for note in notes:
        for point in note.points:
            for key, sentence in supersessions(point.plain):
                older = keys.get(key)
                if older is not None and older is not note and _is_newer(note, older):
                    found.setdefault((older.file, note.file), (older, note, sentence))
    return list(found.values())


def compare(
    held: Held, notes: Sequence[Note], ask: Ask
) -> tuple[list[Superseded], list[Duplicates], str]:
    """What supersedes what, what says the same, and why pairs could not be compared, if so.

    `ask` embeds the points of likely pairs; without vectors only what says so supersedes.
    """
    linked = superseded_by_link(notes)
    likely = [*_likely(held, notes)]
    asked = [*likely, *((older, newer) for older, newer, _ in linked)]
    try:
        vectors = _Vectors(held, sorted({note.file for pair in asked for note in pair}), ask)
    except RecallUnavailable as error:
        told = [Superseded(older, newer, older.points[0], quote, True)
                for older, newer, quote in linked if older.points]  # fmt: skip
        return told, [], error.message
    superseded = [_linked(vectors, *one) for one in linked if one[0].points]
    known = {frozenset((one.older.file, one.newer.file)) for one in superseded}
    duplicates: list[Duplicates] = []
    for one, other in likely:
        if frozenset((one.file, other.file)) not in known:
            found = _of_one_subject(held, vectors, one, other)
            if isinstance(found, Superseded):
                superseded.append(found)
            elif found:
                duplicates.append(found)
    return superseded, duplicates, ""


def _likely(held: Held, notes: Sequence[Note]) -> Iterator[tuple[Note, Note]]:
    """Pairs that share enough words to be worth a comparison; linear but for common words."""
    terms = {note.file: _terms(held.of_note(note.file)) for note in notes}
    weights = {file: sum(map(held.weight, own)) for file, own in terms.items()}
    having: dict[str, list[int]] = defaultdict(list)
    for at, note in enumerate(notes):
        for term in terms[note.file]:
            having[term].append(at)
    shared: dict[tuple[int, int], float] = defaultdict(float)
    for term, holders in having.items():
        if 1 < len(holders) <= _COMMON:
            for pair in combinations(holders, 2):
                shared[pair] += held.weight(term)
    for (one, other), weight in shared.items():
        both = sorted((weights[notes[one].file], weights[notes[other].file]))
        if weight >= SHARED * both[0] and weight >= OF_LARGER * both[1]:
            yield notes[one], notes[other]


def _terms(places: Iterable[Place]) -> frozenset[str]:
    return frozenset().union(*(place.terms for place in places))


class _Vectors:
    """The vectors of the points of some notes, each text embedded once."""

    def __init__(self, held: Held, files: Sequence[str], ask: Ask) -> None:
        self._places = {file: [p for p in held.of_note(file) if _tells(p)] for file in files}
        texts = [
            *dict.fromkeys(place.point.plain for own in self._places.values() for place in own)
        ]
        self._vectors: dict[str, Matrix] = {}
        for at in range(0, len(texts), BATCH):
            some = texts[at : at + BATCH]
            answer = ask("embed", {"texts": some})
            self._vectors.update(zip(some, np.asarray(answer["vectors"], np.float32), strict=True))

    def places(self, note: Note) -> list[Place]:
        """The points that say more than a link."""
        return self._places.get(note.file, [])

    def cosines(self, one: Note, other: Note) -> Matrix:
        """One row for each point of the first note, one column for each of the second."""
        rows = [self._vectors[place.point.plain] for place in self.places(one)]
        columns = [self._vectors[place.point.plain] for place in self.places(other)]
        return np.stack(rows) @ np.stack(columns).T


def _of_one_subject(
    held: Held, vectors: _Vectors, one: Note, other: Note
) -> Superseded | Duplicates | None:
    if len(vectors.places(one)) > len(vectors.places(other)):
        one, other = other, one
    if len(vectors.places(one)) < POINTS:
        return None
    cosines = vectors.cosines(one, other)
    nearest = cosines.max(axis=1)
    alike, aligned = float(nearest.mean()), float((nearest >= FACING).mean())
    if alike < ALIKE or aligned < ALIGNED:
        return None
    shared, total = _values(vectors.places(one), vectors.places(other))
    if not total and _of_two_things(held, one, other):
        return None
    if not total or shared >= AGREE * total:
        return Duplicates(one, other, round(alike, 2), round(aligned, 2), shared, total)
    if _of_two_things(held, one, other):
        return None
    older, newer = (one, other) if _is_newer(other, one) else (other, one)
    if not _is_newer(newer, older):
        return Duplicates(one, other, round(alike, 2), round(aligned, 2), shared, total)
    point, quote = _clash(vectors, older, newer)
    return Superseded(older, newer, point.point, quote, False, round(alike, 2))


def _of_two_things(held: Held, one: Note, other: Note) -> bool:
    """Whether each note's key has a word that the other note nowhere has: two hosts, say."""
    return bool(_own_words(held, one, other) and _own_words(held, other, one))


def _own_words(held: Held, note: Note, other: Note) -> set[str]:
    there = {
        fold(word)
        for word in re.findall(r"\w+", f"{other.key} {other.description}".replace("_", " "))
    }
    there |= _terms(held.of_note(other.file))
    words = {fold(word) for word in re.split(r"[\W_]+", note.key) if word} - _NEUTRAL
    return {
        word for word in words
        if not re.fullmatch(r"\d{4}|v\d+", word) and not any(_same(word, one) for one in there)
    }  # fmt: skip


def _same(word: str, other: str) -> bool:
    stem = min(len(word), len(other), 5)
    return word == other or (stem >= 4 and word[:stem] == other[:stem])


def _linked(vectors: _Vectors, older: Note, newer: Note, sentence: str) -> Superseded:
    if not vectors.places(older) or not vectors.places(newer):
        return Superseded(older, newer, older.points[0], sentence, True)
    point, quote = _clash(vectors, older, newer)
    return Superseded(older, newer, point.point, f"{quote} {sentence}", True)


def _clash(vectors: _Vectors, older: Note, newer: Note) -> tuple[Place, str]:
    """The point of the older note that the newer one contradicts most, and its words."""
    cosines = vectors.cosines(older, newer)
    best: tuple[float, Place, Place] | None = None
    for row, place in enumerate(vectors.places(older)):
        for column, rival in enumerate(vectors.places(newer)):
            differs = any(
                own.kind and own.is_like(value) and not rival.has(own)
                for own in place.values for value in rival.values
            )  # fmt: skip
            score = float(cosines[row, column]) + 0.2 * differs
            if best is None or score > best[0]:
                best = (score, place, rival)
    assert best is not None
    return best[1], one_line(best[2].point.plain)


def _values(one: Sequence[Place], other: Sequence[Place]) -> tuple[int, int]:
    """How many values both have, and how many the one with fewer has."""
    first = {value.norm for place in one for value in place.values}
    second = {value.norm for place in other for value in place.values}
    return len(first & second), min(len(first), len(second))


def _is_newer(note: Note, other: Note) -> bool:
    return note.updated is not None and (other.updated is None or note.updated > other.updated)


def _tells(place: Place) -> bool:
    return len(_bare(place.point.plain).split()) > 2


def _bare(text: str) -> str:
    return _LINK.sub(" ", text)
