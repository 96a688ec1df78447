"""Lines of the always-loaded file that say again, in other words, what another line says.

A line repeats another when it names nothing of its own and nearly all that it is about is
covered there, word for word or by another word for the same thing. Vectors of short lines
prove little, so they only help where words cover a part. Two lines that differ in a word
("run the linter", "run the tests") are two rules, however near their vectors are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from memory_core.routines.optimize.lines import Line, covered, stems
from memory_core.routines.optimize.vectors import Vectors

COVERED = 0.75  # share of a line that must stand in the other one
PARTLY = 0.5  # or this much, where the vectors are as near as NEAR
NEAR = 0.55
LITERAL = 0.5  # share of the same words from which lines are of one pattern
FEWEST = 2  # things that both must speak of
ALONE = 0.35  # cosine from which one thing is enough


@dataclass(frozen=True, slots=True)
class Repeated:
    """`line` may go, since `of` says it; `covered` is a share, `cosine` that of both lines."""

    line: Line
    of: Line
    covered: float
    cosine: float


def repeated(lines: Sequence[Line], vectors: Vectors) -> list[Repeated]:
    """Every line that another one covers, in the file's order; a line that stays covers it.

    Raises what asking for vectors raises.
    """
    vectors.learn(line.plain for line in lines)
    found = [one for pair in combinations(lines, 2) if (one := _repeated(*pair, vectors))]
    found.sort(key=lambda one: (-one.covered - one.cosine, one.line.number))
    gone: dict[Line, Repeated] = {}
    kept: set[Line] = set()
    for one in found:
        if one.line not in gone and one.line not in kept and one.of not in gone:
            gone[one.line] = one
            kept.add(one.of)
    return sorted(gone.values(), key=lambda one: one.line.number)


def _repeated(first: Line, second: Line, vectors: Vectors) -> Repeated | None:
    """Which of two lines repeats the other: the later one, unless only it says more."""
    if _differ_in_a_word(first, second):
        return None
    cosine = vectors.cosine(first.plain, second.plain)
    for line, other in ((second, first), (first, second)):
        if line.own(other.plain):
            continue
        share = covered(line, other.plain, other.concepts)
        if _is_enough(line, other, share, cosine):
            return Repeated(line, other, round(share, 2), round(cosine, 2))
    return None


def _differ_in_a_word(first: Line, second: Line) -> bool:
    """Whether both are half of the same words, and each has something that the other lacks."""
    fewer = min(len(first.stems), len(second.stems))
    if len(first.stems & second.stems) < LITERAL * fewer:
        return False
    return max(covered(first, second.plain), covered(second, first.plain)) < 1.0


def _is_enough(line: Line, other: Line, share: float, cosine: float) -> bool:
    common = len(line.concepts & other.concepts) + len(line.stems & stems(other.plain))
    if share >= COVERED:
        return common >= FEWEST or (common > 0 and cosine >= ALONE)
    return share >= PARTLY and cosine >= NEAR and common > 0
