"""Candidate notes: those that a part of a session may be about, found by recall.

Each exchange's request and last words are asked for; a note's best rank counts, with its
rank by rare words in common. Without recall words alone rank the notes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from memory_core.errors import RecallUnavailable
from memory_core.routines.pieces import Piece, weight
from memory_core.routines.place import Ask, Place
from memory_core.text import terms
from memory_core.vault.note import Note

FULL = 12  # notes shown with their points, at most
QUERY = 1000  # characters of a request and of a reply, as recall is asked for them
ASKED = 16  # questions to recall for one part of a session
POINT = 700  # characters of one point
DEPTH = 20  # smooths ranks, as in reciprocal rank fusion
WORDS = 0.5  # weight of the rank by words beside the best rank of any exchange
OFTEN = 0.01  # weight of each further exchange: a session has more subjects than one


@dataclass(frozen=True, slots=True)
class Candidates:
    """Notes by how near they are; `notice` says why recall was not used."""

    ranked: tuple[Note, ...]
    notice: str = ""

    def shown(self, room: int) -> tuple[Note, ...]:
        """The first notes whose points fit `room` tokens, sorted by file."""
        kept: list[Note] = []
        for note in self.ranked[:FULL]:
            room -= weight(told(note))
            if room < 0 and kept:
                break
            kept.append(note)
        return tuple(sorted(kept, key=lambda note: note.file))

    def others(self, shown: Iterable[Note], room: int) -> tuple[Note, ...]:
        """The next notes whose subject lines fit `room` tokens, sorted by file."""
        files, kept = {note.file for note in shown}, []
        for note in self.ranked:
            if note.file in files:
                continue
            room -= weight(subject(note))
            if room < 0:
                break
            kept.append(note)
        return tuple(sorted(kept, key=lambda note: note.file))


def told(note: Note) -> str:
    """A note with its numbered points."""
    points = (f"  ({number}) {point.text[:POINT]}" for number, point in enumerate(note.points, 1))
    return "\n".join([subject(note), *points])


def subject(note: Note) -> str:
    """A note's file and what it is about."""
    return f"{note.file}: {note.description}"


def near(chunk: Sequence[Piece], place: Place, ask: Ask) -> Candidates:
    """All notes of the place, the likely ones first."""
    if not place.notes:
        return Candidates(())
    scores: Counter[str] = Counter()
    scores.update(_weights(_by_words(chunk, place.notes), WORDS))
    best: Counter[str] = Counter()
    notice = ""
    for query in _queries(chunk):
        answer = _recalled(query, place, ask)
        if answer.get("status") == "unavailable" and not answer.get("pool"):
            notice = f"candidate notes were found by words alone: {answer.get('reason', '')}"
            break
        weights = _weights(_sources(answer), 1.0)
        best |= weights
        scores.update({source: OFTEN * weight for source, weight in weights.items()})
    scores.update(best)
    ranked = sorted(place.notes, key=lambda note: (-scores[note.file], note.file))
    return Candidates(tuple(ranked), notice)


def _weights(ranked: Iterable[str], factor: float) -> Counter[str]:
    """Reciprocal ranks."""
    weights: Counter[str] = Counter()
    for rank, source in enumerate(ranked):
        weights[source] = factor / (DEPTH + rank)  # type: ignore[assignment]
    return weights


def _queries(chunk: Sequence[Piece]) -> list[str]:
    """One an exchange: its request and the agent's last words; the first and last exchanges."""
    requests: dict[int, str] = {}
    replies: dict[int, str] = {}
    for piece in chunk:
        exchange = id(piece.exchange)
        if piece.span.source == "user":
            requests.setdefault(exchange, piece.span.text)
        elif piece.span.source == "agent":
            replies[exchange] = piece.span.text
    said = [
        f"{requests.get(exchange, '').strip()[:QUERY]}\n{replies.get(exchange, '').strip()[:QUERY]}"
        for exchange in requests | replies
    ]
    asked = said if len(said) <= ASKED else said[: ASKED // 2] + said[-ASKED // 2 :]
    return list(dict.fromkeys(query.strip() for query in asked if query.strip()))


def _recalled(query: str, place: Place, ask: Ask) -> dict[str, Any]:
    payload = {
        "query": query, "user": place.user, "scope": place.scope, "limit": 10,
        "explain": True, "bulk": True, "deadline_ms": 60_000,
    }  # fmt: skip
    try:
        return ask("recall", payload)
    except RecallUnavailable as error:
        return {"status": "unavailable", "reason": error.message}


def _sources(answer: dict[str, Any]) -> list[str]:
    """The files of the pool's passages, the best of each, in order."""
    pool = sorted(answer.get("pool") or (), key=lambda one: -one["score"])
    found = pool or answer.get("notes") or ()
    return list(dict.fromkeys(one["source"] for one in found))


def _by_words(chunk: Sequence[Piece], notes: Sequence[Note]) -> list[str]:
    """Files by the summed rarity of the terms they share with what was said."""
    said = set(terms("\n".join(piece.shown for piece in chunk)))
    held = {note.file: set(terms(told(note))) for note in notes}
    counts = Counter(term for own in held.values() for term in own)

    def shared(file: str) -> float:
        own = held[file]
        rare = sum(math.log(len(notes) / counts[term]) for term in own & said)
        return rare / math.sqrt(len(own) or 1)

    return sorted(held, key=lambda file: (-shared(file), file))
