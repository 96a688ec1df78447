"""The score of a dream: which procedures, stale notes and near-duplicates it found, and which not.

An item finds a procedure when its evidence covers at least half of the sessions that used
it and its text holds at least half of the steps (matching.py). It finds a stale note when
it revises or drops a point of that note and cites a session, or names a note, that
contradicts it. Precision counts what was found beside the gold as wrong; a note is counted
once however many of its points are revised.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_core.benchmark import matching, sessions
from memory_core.benchmark.dream_gold import DreamGold, Pair, Procedure, Stale
from memory_core.errors import NotFound
from memory_core.proposals.item import Item
from memory_core.record.exchange import Exchange


@dataclass(frozen=True, slots=True)
class Dreamed:
    """What is scored: the items of a draft, and the pairs of notes it calls duplicates."""

    items: tuple[Item, ...]
    duplicates: tuple[tuple[str, str], ...] = ()
    notices: tuple[str, ...] = ()


Drafter = Callable[[Sequence[Exchange]], Dreamed]
"""All exchanges of a window to what a dream makes of them."""


@dataclass(frozen=True, slots=True)
class Part:
    """Right, wrong and missed ones of one kind, by name."""

    right: tuple[str, ...]
    wrong: tuple[str, ...]
    missed: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """The figures; a share is None where there is nothing to divide by."""
        found, wanted = len(self.right) + len(self.wrong), len(self.right) + len(self.missed)
        return {
            "right": len(self.right),
            "precision": round(len(self.right) / found, 3) if found else None,
            "recall": round(len(self.right) / wanted, 3) if wanted else None,
            "wrong": list(self.wrong),
            "missed": list(self.missed),
        }


@dataclass(frozen=True, slots=True)
class DreamScore:
    """`alarms` are pairs that must not be merged and were called duplicates."""

    procedures: Part
    stale: Part
    duplicates: Part
    alarms: tuple[str, ...]
    optional: tuple[str, ...]
    dreamed: Dreamed

    def as_json(self) -> dict[str, Any]:
        """All figures."""
        return {
            "items": len(self.dreamed.items),
            "procedures": self.procedures.as_json(),
            "stale_notes": self.stale.as_json(),
            "duplicates": self.duplicates.as_json(),
            "false_alarms": list(self.alarms),
            "optional_found": list(self.optional),
        }


def window(transcripts: Path) -> list[Exchange]:
    """The exchanges of every transcript of a folder, in the order of their time.

    Raises `NotFound` for a folder without any.
    """
    files = sorted(transcripts.glob("*.jsonl"))
    if not files:
        raise NotFound(f"there is no transcript in {transcripts}", remedy="name its folder")
    read = [one for one in map(sessions.exchanges, files) if one]
    read.sort(key=lambda session: session[0].at)
    found = [exchange for session in read for exchange in session]
    for number, exchange in enumerate(found, 1):
        exchange.sequence = number
    return found


def judge(gold: DreamGold, dreamed: Dreamed) -> DreamScore:
    """Score what was dreamed."""
    told = [item for item in dreamed.items if _is_procedure(item)]
    changed = [
        item for item in dreamed.items if item.action in ("revise", "drop") and item not in told
    ]
    optional = {one.note for one in gold.stale if one.optional}
    return DreamScore(
        _procedures(gold.procedures, told),
        _stale([one for one in gold.stale if not one.optional],
               [item for item in changed if item.target not in optional]),
        _duplicates(gold.duplicates, dreamed),
        tuple(_name(pair) for pair in _pairs(dreamed) if pair in gold.apart),
        tuple(sorted({item.target for item in changed} & optional)),
        dreamed,
    )  # fmt: skip


def _is_procedure(item: Item) -> bool:
    return item.action == "add" or "uses" in item.detail


def _procedures(gold: Sequence[Procedure], items: Sequence[Item]) -> Part:
    wanted = [one for one in gold if one.wanted]
    found = {one.id: [item for item in items if _tells(item, one)] for one in wanted}
    matched = {id(item) for own in found.values() for item in own}
    return Part(
        tuple(name for name, own in found.items() if own),
        tuple(item.title for item in items if id(item) not in matched),
        tuple(name for name, own in found.items() if not own),
    )


def _tells(item: Item, procedure: Procedure) -> bool:
    cited = {piece.session for piece in item.evidence} & procedure.sessions
    held = [step for step in procedure.steps if matching.holds(item.after, step) >= matching.HALF]
    return 2 * len(cited) >= len(procedure.sessions) and 2 * len(held) >= len(procedure.steps)


def _stale(gold: Sequence[Stale], items: Sequence[Item]) -> Part:
    found = {one.note: [item for item in items if _shows(item, one)] for one in gold}
    right = {note for note, own in found.items() if own}
    return Part(
        tuple(sorted(right)),
        tuple(sorted({item.target for item in items} - right)),
        tuple(sorted({one.note for one in gold} - right)),
    )


def _shows(item: Item, stale: Stale) -> bool:
    if item.target != stale.note:
        return False
    cited = {piece.session for piece in item.evidence} | {str(item.detail.get("newer", ""))}
    said = item.after.removeprefix(item.before)
    return (
        bool(cited & stale.by)
        and all(text in said for text in stale.now)
        and not any(text in said for text in stale.not_now)
    )


def _duplicates(gold: frozenset[Pair], dreamed: Dreamed) -> Part:
    found = _pairs(dreamed)
    return Part(
        tuple(_name(pair) for pair in found if pair in gold),
        tuple(_name(pair) for pair in found if pair not in gold),
        tuple(_name(pair) for pair in gold if pair not in found),
    )


def _pairs(dreamed: Dreamed) -> list[Pair]:
    return [frozenset(pair) for pair in dreamed.duplicates]


def _name(pair: Pair) -> str:
    return " + ".join(sorted(pair))
