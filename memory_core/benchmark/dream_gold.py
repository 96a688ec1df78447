"""The gold of a dream benchmark: what all sessions together should show, and what they should not.

One JSON file: `{"dream": {"procedures": [{"id", "expected", "occurrences": [{"session"}],
"steps"?}], "stale_notes": [{"note", "contradicted_by": [{"session" or "note"}], "weight"?,
"now"?, "not_now"?}], "duplicates": [[note, note]], "not_duplicates": [[note, note]]}}`. A
procedure is to be proposed when `expected` begins with "propose"; a stale note with a weight
that begins with "optional" counts neither way. What is said now must hold every text of `now`
and none of `not_now`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_core.errors import BadInput, NotFound

Pair = frozenset[str]


@dataclass(frozen=True, slots=True)
class Procedure:
    """`sessions` are those that used it."""

    id: str
    wanted: bool
    sessions: frozenset[str]
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stale:
    """A note that no longer holds; `by` are the sessions and the notes that show it."""

    note: str
    by: frozenset[str]
    optional: bool = False
    now: tuple[str, ...] = ()
    not_now: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DreamGold:
    """What is right."""

    procedures: tuple[Procedure, ...]
    stale: tuple[Stale, ...]
    duplicates: frozenset[Pair]
    apart: frozenset[Pair]


def load(file: Path) -> DreamGold:
    """Read a gold file. Raises `NotFound`, or `BadInput` that names what is wrong in it."""
    try:
        dream = json.loads(file.read_text("utf-8"))["dream"]
        return DreamGold(
            tuple(_procedure(row) for row in dream["procedures"]),
            tuple(_stale(row) for row in dream["stale_notes"]),
            frozenset(map(frozenset, dream["duplicates"])),
            frozenset(map(frozenset, dream["not_duplicates"])),
        )
    except OSError as error:
        raise NotFound(f"the gold {file} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        told = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise BadInput(
            f"the gold {file} does not hold: {told}",
            remedy="see memory_core/benchmark/dream_gold.py",
        ) from None


def _procedure(row: dict[str, Any]) -> Procedure:
    return Procedure(
        row["id"],
        row["expected"].startswith("propose"),
        frozenset(one["session"] for one in row["occurrences"]),
        tuple(row.get("steps", ())),
    )


def _stale(row: dict[str, Any]) -> Stale:
    return Stale(
        row["note"],
        frozenset(one.get("session") or one["note"] for one in row["contradicted_by"]),
        row.get("weight", "").startswith("optional"),
        tuple(row.get("now", ())),
        tuple(row.get("not_now", ())),
    )
