"""Stances: what somebody likes or not, and what a thing is; the plainest facts that flip.

"I love X" and "I hate X" are opposite stances on X; "my Y is A" and "my Y is B" give one
attribute two values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from memory_core.routines.dream.about import about
from memory_core.routines.dream.values import values

_WHAT = r"\s+(?P<what>[^,.;!?]{2,60})"
_FOR = re.compile(
    r"(?<![\w-])(?:(?:do|does) (?:like|love)|i (?:really |do )?(?:love|like|prefer|enjoy|adore)"
    r"|(?:am|is) fond of|jeg (?:elsker|liker|foretrekker)(?! ikke)"
    rf"|ich (?:mag|liebe|bevorzuge)(?! (?:kein|nicht))){_WHAT}|(?P<ja>[^、。]{{1,12}})(?:が|を)好",
    re.IGNORECASE,
)
_AGAINST = re.compile(
    r"(?<![\w-])(?:i (?:really |now )?(?:hate|dislike|detest|loathe|can't stand|cannot stand"
    r"|no longer (?:like|love|want|prefer)|(?:do not|don't) (?:like|love|want)(?: any ?more)?)"
    r"|jeg (?:hater|liker ikke|misliker|orker ikke)|ich (?:hasse|mag (?:keine?n?|nicht))|no more)"
    rf"{_WHAT}|(?P<ja>[^、。]{{1,12}})(?:が|は)(?:嫌い|苦手)",
    re.IGNORECASE,
)
_IS = re.compile(
    r"^\W*(?:and |also |by the way,? |og |und )?(?P<what>(?:my|our|mein\w*|unser\w*|min|mitt|mine"
    r"|vår\w*|the|der|die|das|den|det)?\s*[^,.;:!?()]{3,50}?)\s+(?:is|are|er|ist|sind)\s+"
    r"(?:now |nå |jetzt |(?:always|at) )?(?P<value>[^,.;:!?()]{2,50})",
    re.IGNORECASE,
)
_JA_IS = re.compile(
    r"^(?P<what>[^、。はが]{2,16})は(?:今は|、)?(?P<value>[^、。はが]{1,16})(?:です|になり|に変わ|だ)"
)
_TAIL = re.compile(
    r"\s+(?:now|these days|by the way|nå|jetzt|and|og|und|since|siden|seit)(?![\w-])", re.IGNORECASE
)
_SHORT = 3  # words of a value that is no number


@dataclass(frozen=True, slots=True)
class Stance:
    """`on` are the words of the object; `good` whether it is liked."""

    on: frozenset[str]
    good: bool

    def opposes(self, other: Stance) -> bool:
        """Whether one likes what the other does not."""
        shared = self.on & other.on
        return self.good != other.good and bool(shared) and 2 * len(shared) >= min(
            len(self.on), len(other.on)
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Attribute:
    """`of` are the words that name the thing, `value` those of what it is.

    `typed` are its values by class; empty for one that is told in a word or two.
    """

    of: frozenset[str]
    value: frozenset[str]
    told: str
    typed: Mapping[str, frozenset[str]]

    def differs(self, other: Attribute) -> bool:
        """Whether the same thing is something else."""
        if self.of != other.of or set(self.typed) != set(other.typed):
            return False
        if not self.typed:
            return not self.value & other.value
        return any(not self.typed[kind] & other.typed[kind] for kind in self.typed)


def stance(sentence: str) -> Stance | None:
    """The stance that a sentence takes, if any."""
    for pattern, good in ((_AGAINST, False), (_FOR, True)):
        match = pattern.search(sentence)
        if match:
            words = match["what"] or match["ja"]
            on = about(" ".join(words.split()[:4]))
            return Stance(on, good) if on else None
    return None


def attribute(sentence: str) -> Attribute | None:
    """What a sentence says that something is, if it is as plain as that."""
    match = _IS.match(sentence) or _JA_IS.match(sentence)
    if match is None:
        return None
    told = _TAIL.split(match["value"].strip(), maxsplit=1)[0].strip()
    typed: dict[str, frozenset[str]] = {}
    for one in values(told):
        typed[one.kind] = typed.get(one.kind, frozenset()) | {one.norm}
    if not typed and len(told.split()) > _SHORT:
        return None
    of, value = about(match["what"]), about(told)
    return Attribute(of, value, told, typed) if 2 <= len(of) <= 5 and value else None
