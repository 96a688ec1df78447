"""Dream with a language model: each part of the window is noted, then all is laid side by side.

What rules found without a model goes in with it: the model may say it better, or say why
it is wrong. Every claim keeps the citations of the observations that it rests on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from memory_core import prompts
from memory_core.llm import Complete
from memory_core.proposals.item import Item
from memory_core.record.exchange import Exchange
from memory_core.routines import candidates, wrap_items
from memory_core.routines import pieces as numbered
from memory_core.routines.draft import Draft
from memory_core.routines.dream import claims, observations, parts
from memory_core.routines.dream.observations import Observation
from memory_core.routines.dream.reply import MOST, NOTED, Part, Whole
from memory_core.routines.findings import Finding, Sieve
from memory_core.routines.pieces import Piece
from memory_core.routines.place import Ask, Place
from memory_core.vault.note import Note

LARGEST = 40_000  # tokens of one request: more at once is read worse
RULES = 2_000  # tokens of a prompt's own text and its schema
_READ = 0.4  # share of a run's tokens that the window itself may take
_NONE = "(none)"

Tell = Callable[[float, str], None]
"""`tell(share, what)`: how much is done, 0 to 1, and what is done now."""


@dataclass(slots=True)
class _Seen:
    """What the parts showed so far."""

    observed: list[Observation] = field(default_factory=list)
    uncited: int = 0
    notices: list[str] = field(default_factory=list)


def draft(
    exchanges: Sequence[Exchange],
    found: Draft,
    place: Place,
    ask: Ask,
    complete: Complete,
    *,
    room: int,
    tokens: int,
    tell: Tell = lambda _share, _what: None,
) -> Draft:
    """The items of a window, the most valuable first; `found` is the draft without a model.

    `room` is the input tokens of one request, `tokens` what the run may use in all. Raises
    `OverBudget` before anything is sent when the window is too long, and what `ask` and
    `complete` raise; nothing is kept of a run that fails.
    """
    pieces = numbered.pieces(exchanges)
    free = max(1500, min(room, LARGEST) - RULES)
    cut = parts.parts(pieces, free * 7 // 10, int(tokens * _READ))
    turns = observations.turns_of(pieces)
    seen = _Seen([observations.found(item, turns) for item in found.items])
    for number, part in enumerate(cut):
        tell(number / (len(cut) + 1), f"reading part {number + 1} of {len(cut)}")
        _note(part, place, ask, complete, free * 2 // 10, seen)
    tell(len(cut) / (len(cut) + 1), f"laying {len(seen.observed)} observations side by side")
    made = _reduced(seen, pieces, found, place, complete, free) if seen.observed else found
    lines = (*found.notices, *seen.notices, *made.notices, _uncited(seen))
    return Draft(made.items, tuple(dict.fromkeys(filter(None, lines))))


def _note(
    part: parts.Part, place: Place, ask: Ask, complete: Complete, room: int, seen: _Seen
) -> None:
    near = candidates.near(part.pieces, place, ask)
    shown = near.shown(room)
    values: dict[str, str | int] = {
        "notes": "\n\n".join(map(candidates.told, shown)) or _NONE,
        "pieces": part.text,
        "most": NOTED,
    }
    reply = complete(prompt=prompts.load("dream"), values=values, schema=Part)
    made = [observations.noted(one, part.pieces) for one in reply.observations]
    seen.observed += [one for one in made if one]
    seen.uncited += made.count(None)
    if near.notice:
        seen.notices.append(near.notice)


def _reduced(
    seen: _Seen,
    pieces: Sequence[Piece],
    found: Draft,
    place: Place,
    complete: Complete,
    free: int,
) -> Draft:
    shown = observations.fitting(seen.observed, free * 5 // 10)
    notes = _concerned(shown, place, free * 4 // 10)
    values: dict[str, str | int] = {
        "notes": "\n\n".join(map(candidates.told, notes)) or _NONE,
        "others": _others(notes, place, free // 10) or _NONE,
        "observations": "\n".join(one.shown(number) for number, one in enumerate(shown, 1)),
        "most": MOST,
    }
    reply = complete(prompt=prompts.load("dream_reduce"), values=values, schema=Whole)
    sieve = Sieve()
    files = {note.file for note in place.notes}
    proved = claims.proved(reply.claims, shown, pieces, notes, files, sieve)
    fresh = sieve.new([finding for finding, _ in proved], place.notes)
    better = [item for finding, items in proved if finding in fresh for item in items]
    gone = {one.observation: one.reason for one in reply.dismissed}
    dismissed = [
        (one.item, gone[number]) for number, one in enumerate(shown, 1)
        if one.item and number in gone and one.item not in better
    ]  # fmt: skip
    left = [item for item in found.items if item not in better]
    left = [item for item in left if item not in [one for one, _ in dismissed]]
    made, more = _items(fresh, place)
    notices = [*more, sieve.notice, _unread(seen, shown)]
    notices += [f"the model dismissed “{item.title}”: {why}" for item, why in dismissed]
    return Draft(_ranked(made, left), tuple(notices))


def _items(findings: Sequence[Finding], place: Place) -> tuple[list[Item], list[str]]:
    """Their items, in the scale of values of the findings without a model."""
    made, notices = wrap_items.items(findings, place)
    return [replace(item, value=round(item.value * 5, 2)) for item in made], notices


def _ranked(made: Iterable[Item], left: Iterable[Item]) -> tuple[Item, ...]:
    """By falling value; a point that the model revises is revised by nobody else."""
    kept: dict[tuple[str, str, str], Item] = {}
    for item in (*made, *left):
        kept.setdefault((item.target, item.before, "" if item.before else item.after), item)
    return tuple(sorted(kept.values(), key=lambda item: -item.value))


def _concerned(observed: Sequence[Observation], place: Place, room: int) -> list[Note]:
    """The notes that observations are about, as long as they fit."""
    files = dict.fromkeys(one.file for one in observed if one.file)
    notes = [note for note in map(place.note, files) if note]
    return list(candidates.Candidates(tuple(notes)).shown(room))


def _others(shown: Sequence[Note], place: Place, room: int) -> str:
    others = candidates.Candidates(place.notes).others(shown, room)
    return "\n".join(map(candidates.subject, others))


def _uncited(seen: _Seen) -> str:
    return f"observations of the model that cited nothing: {seen.uncited}" if seen.uncited else ""


def _unread(seen: _Seen, shown: Sequence[Observation]) -> str:
    more = len(seen.observed) - len(shown)
    return f"{more} observations did not fit beside the others and were not weighed" if more else ""
