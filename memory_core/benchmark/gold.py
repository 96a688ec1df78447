"""The gold of a wrap benchmark: what should be proposed of each session, and what should not.

One JSON file: `{"wrap": {session: {"kind", "propose": [{"id", "statement", "evidence": [turns],
"target", "also_ok_target"?, "always_loaded"?}], "must_not": [{"statement", "turns", "why"}]}},
"secrets": [{"session", "value"}], "injections": [{"session", "turns"}]}`. A turn is a line of
the transcript `SESSION.jsonl`; a target is a note's file, or `new` for any new note.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_core.errors import BadInput, NotFound

NEW = "new"


@dataclass(frozen=True, slots=True)
class Fact:
    """What should be proposed; any of `targets` is right."""

    id: str
    session: str
    statement: str
    turns: frozenset[int]
    targets: frozenset[str]
    always_loaded: bool = False


@dataclass(frozen=True, slots=True)
class MustNot:
    """What should not be proposed."""

    session: str
    statement: str
    turns: frozenset[int]
    why: str = ""


@dataclass(frozen=True, slots=True)
class Gold:
    """Facts and must-nots of all sessions; `injections` are turns by session."""

    sessions: tuple[str, ...]
    facts: tuple[Fact, ...]
    must_not: tuple[MustNot, ...]
    secrets: tuple[tuple[str, str], ...]
    injections: Mapping[str, frozenset[int]]

    def facts_of(self, session: str) -> list[Fact]:
        """A session's facts."""
        return [fact for fact in self.facts if fact.session == session]


def load(file: Path) -> Gold:
    """Read a gold file. Raises `NotFound`, or `BadInput` that names what is wrong in it."""
    try:
        document = json.loads(file.read_text("utf-8"))
        wrap = document["wrap"]
        return Gold(
            tuple(wrap),
            tuple(_facts(wrap)),
            tuple(_must_not(wrap)),
            tuple((row["session"], row["value"]) for row in document.get("secrets", [])),
            {row["session"]: frozenset(row["turns"])
             for row in document.get("injections", []) if "session" in row},
        )  # fmt: skip
    except OSError as error:
        raise NotFound(f"the gold {file} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        told = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise BadInput(
            f"the gold {file} does not hold: {told}", remedy="see memory_core/benchmark/gold.py"
        ) from None


def _facts(wrap: dict[str, Any]) -> Iterator[Fact]:
    for session, row in wrap.items():
        for fact in row["propose"]:
            targets = (fact["target"], *fact.get("also_ok_target", []))
            yield Fact(
                fact["id"], session, fact["statement"], frozenset(map(int, fact["evidence"])),
                frozenset(targets), bool(fact.get("always_loaded")),
            )  # fmt: skip


def _must_not(wrap: dict[str, Any]) -> Iterator[MustNot]:
    for session, row in wrap.items():
        for one in row["must_not"]:
            turns = frozenset(map(int, one["turns"]))
            yield MustNot(session, one["statement"], turns, one.get("why", ""))
