"""Changes: sentences that say that something is no longer what it was.

A change has the old side and the new side of a cue ("60 instead of 45", "no longer",
"fra 22:30 til 23:00", "25日ではなく20日"). Each side is its values, or its words where it
has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from memory_core.routines import cues
from memory_core.routines.dream import change_cues
from memory_core.routines.dream.about import about
from memory_core.routines.dream.change_cues import ARROW, BECAME, CHANGING, INSTEAD
from memory_core.routines.dream.values import Value, values

How = Literal["replaced", "gone", "now"]

_NEAR = 60  # characters of a side that belong to the cue
_BEHIND = 12  # characters between a cue and the value that it is about
_OF_CUES = about("no longer anymore gone left quit retired lenger sluttet länger gekündigt don't")
_WORDS = 5  # of a side without a value
_CLAUSE = re.compile(r"[;；、。]|,(?!\d)|\s[–—]\s|\s\((?=\w)")
_FLAGS = re.IGNORECASE | re.DOTALL
_JA = r"(?:.*[はがを])?(?P<old>[^、。はがを]{1,20})"
_SIDES = tuple(
    re.compile(pattern, _FLAGS)
    for pattern in (
        rf"(?P<new>.*?)(?<![\w-])(?:{INSTEAD})(?![\w-])\s*(?P<old>.*)",
        rf"(?P<old>.*?)(?:(?<![\w-])(?:{BECAME})(?![\w-])|{ARROW})\s*(?P<new>.*)",
        rf"(?=.*?(?<![\w-])(?:{CHANGING})(?![\w-])).*?(?<![\w-])(?:from|fra|von|vom)\s+"
        r"(?P<old>[^,;:。、()]{1,40}?)\s+(?:to|til|auf|zu|nach|på)\s+(?P<new>.*)",
        rf"{_JA}(?:では|じゃ)な(?:くて?|い)(?:、)?(?P<new>.*)",
        rf"{_JA}から、?(?P<new>[^、。]{{1,20}})(?:に|へ)(?:変|移|なり|切り替|し).*",
    )
)
_NEW_FIRST, _OLD_FIRST = _SIDES[:2]  # this side stands before the cue
_NOT_BUT = re.compile(
    r"(?<![\w-])(?:not|ikke|nicht|isn't|n't)(?: any ?more| longer| lenger| mehr| länger)?\s+"
    r"(?P<old>[^,;。]{1,50}),?\s+(?:but|men|sondern)\s+(?P<new>.*)",
    _FLAGS,
)
_AND_NOT = re.compile(
    r"(?P<new>.*?),?\s+(?:and |og |und )?(?:not|ikke|nicht|no longer|ikke lenger|nicht mehr)\s+"
    r"(?:at |på |um |on |in |port )?(?P<old>[^,;。\s]{1,30}(?:\s\w{1,12})?)"
    r"(?=[,.;!]| any ?more|\s*$)",
    _FLAGS,
)


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a change: its nearest value, and its words."""

    values: tuple[Value, ...] = ()
    terms: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.values or self.terms)


@dataclass(frozen=True, slots=True)
class Change:
    """`replaced` names both sides, `gone` the old one, `now` the new one."""

    how: How
    old: Side
    new: Side


def cue(sentence: str) -> bool:
    """Whether a sentence has any cue of a change; cheap."""
    return change_cues.ANY.search(sentence) is not None


def changes(sentence: str) -> list[Change]:
    """What a sentence says has changed; nothing for questions, guesses and passing things."""
    sentence = _stated(sentence)
    if not sentence or is_doubtful(sentence):
        return []
    found = [*_whole(sentence)]
    if not found:
        found = [change for clause in _clauses(sentence) for change in _of_clause(clause)]
    if not found and change_cues.GONE.search(sentence):
        found = [*_gone(sentence)]
    if not found and change_cues.NOW.search(sentence) and (new := tuple(values(sentence))):
        found = [Change("now", Side(), Side(new))]
    return found


def is_doubtful(sentence: str) -> bool:
    """Whether it asks, guesses, supposes, tells of old times, or holds for a while only."""
    doubts = (
        cues.QUESTION, cues.GUESS, change_cues.TEMPORARY, change_cues.CONDITION, change_cues.PAST,
    )  # fmt: skip
    return any(doubt.search(sentence) for doubt in doubts)


def keeps(sentence: str) -> list[Value]:
    """The values that a sentence says things stay at, or go back to."""
    match = change_cues.BACK.search(sentence)
    if match is None or cues.QUESTION.search(sentence):
        return []
    return [value for value in values(sentence) if value.at < match.end() + _NEAR]


def _stated(sentence: str) -> str:
    """Of a question what is stated before it: "X moved to Y, can you fix it?"."""
    if not cues.QUESTION.search(sentence):
        return sentence
    clauses = [*_clauses(sentence)]
    if len(clauses) < 2 or change_cues.ASKS.match(sentence):
        return ""
    return sentence[: sentence.rfind(clauses[-1])].rstrip(" ,;、")


def _clauses(sentence: str) -> Iterator[str]:
    yield from (part.strip() for part in _CLAUSE.split(sentence) if part and part.strip())


def _of_clause(clause: str) -> Iterator[Change]:
    for pattern in _SIDES:
        match = pattern.fullmatch(clause)
        if match:
            old = _side(match["old"], first=pattern is not _OLD_FIRST)
            new = _side(match["new"], first=pattern is not _NEW_FIRST, like=old)
            if old:
                yield Change("replaced", old, new)
                return


def _whole(sentence: str) -> Iterator[Change]:
    """Patterns whose sides a comma parts; only between values of one class."""
    for pattern in (_NOT_BUT, _AND_NOT):
        match = pattern.search(sentence)
        if match:
            old = _side(match["old"], first=True)
            new = _side(match["new"], first=pattern is _NOT_BUT, like=old)
            if old.values and any(value.is_like(old.values[0]) for value in new.values):
                yield Change("replaced", old, new)
                return


def _gone(sentence: str) -> Iterator[Change]:
    """A thing that is gone: the words of its clause, and a value right behind the cue."""
    parts = [*_clauses(sentence)]
    for at, part in enumerate(parts):
        if match := change_cues.GONE.search(part):
            behind = [value for value in values(part[match.end() :]) if value.at < _BEHIND]
            terms = about(part) - _OF_CUES
            rest = " ".join(parts[at + 1 :])
            yield Change("gone", Side(tuple(behind[:1]), terms), _side(rest, first=True))
            return


def _side(text: str, *, first: bool, like: Side | None = None) -> Side:
    """The value of a side that is nearest to the cue, of the other side's class."""
    text = text[:_NEAR] if first else text[-_NEAR:]
    found = values(text)
    if like and like.values:
        found = [value for value in found if value.is_like(like.values[0])]
    if found:
        return Side((found[0] if first else found[-1],), about(text))
    words = text.split()
    return Side((), about(" ".join(words[:_WORDS] if first else words[-_WORDS:])))
