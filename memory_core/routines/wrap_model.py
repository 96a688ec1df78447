"""Wrap with a language model: what of a session is worth keeping, and where it belongs.

The session is read in parts that fit the model. The model proposes; what it cites is
checked against the record, and what it may not know, say or order is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_core import prompts
from memory_core.llm import Complete
from memory_core.record.exchange import Exchange
from memory_core.routines import candidates, pieces, wrap_items
from memory_core.routines.candidates import Candidates
from memory_core.routines.draft import Draft
from memory_core.routines.findings import WITHDRAWN, Finding, Sieve
from memory_core.routines.pieces import Piece
from memory_core.routines.place import Ask, Place
from memory_core.routines.wrap_reply import MOST, Reply
from memory_core.vault.note import Note

ROOM = 24_000  # input tokens, of a model of which nothing else is said
_LARGEST = 60_000  # tokens of one request: more of a session at once is read worse
_RULES = 2_400  # tokens of the prompt's own text and the schema
_NONE = "(none)"


@dataclass(frozen=True, slots=True)
class _Shares:
    """Tokens of one request, by what they are for."""

    pieces: int
    notes: int
    others: int

    @classmethod
    def of(cls, room: int, always: str) -> _Shares:
        free = max(1500, min(room, _LARGEST) - _RULES - pieces.weight(always))
        return cls(free * 6 // 10, free * 3 // 10, free // 10)


def draft(
    exchanges: Sequence[Exchange],
    place: Place,
    ask: Ask,
    complete: Complete,
    *,
    room: int = ROOM,
) -> Draft:
    """The items of a session, the most valuable first.

    `room` is the input tokens that one request may hold (`llm.room`). Raises what `ask`
    and `complete` raise; nothing is kept of a run that fails.
    """
    told = pieces.pieces(exchanges)
    shares = _Shares.of(room, place.always_loaded_text)
    prompt, sieve = prompts.load("wrap"), Sieve()
    findings: list[Finding] = []
    seen: dict[str, Note] = {}
    notices: list[str] = []
    for chunk in pieces.chunks(told, shares.pieces):
        near = candidates.near(chunk, place, ask)
        shown = near.shown(shares.notes)
        seen |= {note.file: note for note in shown}
        notices.append(near.notice)
        values = _values(chunk, place, near, shown, findings, shares)
        reply = complete(prompt=prompt, values=values, schema=Reply)
        findings = _without(findings, reply.withdrawn, sieve)
        findings += sieve.proved(reply.facts, chunk, shown)
    kept = sieve.new(findings, tuple(seen.values()))
    made, more = wrap_items.items(kept, place)
    lines = dict.fromkeys([*notices, *more, sieve.notice])
    return Draft(tuple(made), tuple(line for line in lines if line))


def _values(
    chunk: Sequence[Piece],
    place: Place,
    near: Candidates,
    shown: Sequence[Note],
    findings: Sequence[Finding],
    shares: _Shares,
) -> dict[str, str | int]:
    others = near.others(shown, shares.others)
    earlier = (f"({number}) {one.statement}" for number, one in enumerate(findings, 1))
    return {
        "notes": "\n\n".join(map(candidates.told, shown)) or _NONE,
        "others": "\n".join(map(candidates.subject, others)) or _NONE,
        "room": place.room,
        "always": place.always_loaded_text.strip() or _NONE,
        "earlier": "\n".join(earlier) or _NONE,
        "pieces": "\n\n".join(piece.shown for piece in chunk),
        "most": MOST,
    }


def _without(findings: Sequence[Finding], numbers: Sequence[int], sieve: Sieve) -> list[Finding]:
    """The findings that later pieces did not take back."""
    kept = [one for number, one in enumerate(findings, 1) if number not in numbers]
    sieve.left_out[WITHDRAWN] += len(findings) - len(kept)
    return kept
