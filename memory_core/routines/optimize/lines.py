"""Lines of the always-loaded file, each with what it says that no other words could.

A line is a point of the file, verbatim. What it names (numbers, paths, code, names) is its
own: a line whose own things stand elsewhere may be said twice, one with more is another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_core.benchmark.matching import language
from memory_core.errors import Conflict
from memory_core.proposals import edit
from memory_core.routines.dream.about import about
from memory_core.routines.grounding import ungrounded
from memory_core.routines.optimize.concepts import CONDUCT, LIGHT, concepts, without_concepts
from memory_core.text import fold, one_line
from memory_core.vault.front_matter import read as front_matter
from memory_core.vault.note import Point
from memory_core.vault.points import read as points

_RULE = re.compile(
    r"(?<![\w-])(?:never|not|no|nor|don['’]t|always|only|must|should|shall|instead of"
    r"|aldri|ikke|ingen|alltid|bare|kun|skal|må"
    r"|nie|niemals|nicht|kein\w*|immer|nur|muss|müssen|soll\w*)(?![\w-])",
    re.I,
)
_PERSON = re.compile(
    r"(?<![\w-])(?:I|me|my|mine|you|your|jeg|meg|min|mitt|mine|du|deg|ich|mir|mich|mein\w*"
    r"|du|dir|dein\w*)(?![\w-])"
)
_STEM = 5
_GERMAN = frozenset(("tag", "hat", "war"))  # carry no content in German alone


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """`text` is verbatim, `plain` without its bullet, `stems` what it is about."""

    number: int
    heading: str
    text: str
    plain: str
    stems: frozenset[str]
    concepts: frozenset[str]

    @property
    def names(self) -> list[str]:
        """Its numbers, paths, code words and names."""
        return ungrounded(self.plain, ())

    @property
    def is_rule(self) -> bool:
        """Whether it says how to act, or speaks of a person: it holds at every start."""
        return bool(
            self.concepts & CONDUCT or _RULE.search(self.plain) or _PERSON.search(self.plain)
        )

    def own(self, *texts: str) -> list[str]:
        """What it names that none of the texts does."""
        return ungrounded(self.plain, texts)


def read(text: str) -> list[Line]:
    """The lines that can be named alone: each stands once in the file, verbatim."""
    body = front_matter(text).end
    found = points(text[body:], 1 + text[:body].count("\n")).points
    return [_line(point) for point in found if _once(text, point.text)]


def _line(point: Point) -> Line:
    plain = one_line(point.plain)
    return Line(point.line, point.heading, point.text, plain, stems(plain), concepts(plain))


def _once(text: str, piece: str) -> bool:
    try:
        edit.found(text, piece)
    except Conflict:
        return False
    return True


def stems(text: str) -> frozenset[str]:
    """What a text is about, without words that carry little."""
    told = about(text)
    if language(text) != "de":
        told |= _GERMAN & frozenset(re.findall(r"\w+", fold(text)))
    return frozenset(word for word in told if word not in LIGHT)


def covered(line: Line, text: str, known: frozenset[str] | None = None) -> float:
    """The share of what a line is about that a text has, in the same words or other ones.

    `known` are the text's concepts, where they are known already. 1.0 for a line of which
    nothing remains but light words.
    """
    shared = line.concepts & (concepts(text) if known is None else known)
    left = stems(without_concepts(line.plain, shared))
    held = stems(text)
    missing = [word for word in left if not any(_same(word, other) for other in held)]
    total = len(left) + len(shared)
    return 1.0 - len(missing) / total if total else 1.0


def _same(word: str, other: str) -> bool:
    return word == other or (min(len(word), len(other)) >= _STEM and word[:_STEM] == other[:_STEM])
