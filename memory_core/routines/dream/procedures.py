"""Procedures: steps that went together in four or more separate uses.

Steps count together when they stand near each other in one use, in any order and with
anything between them. A procedure has at least two steps that are not general; a step
belongs to its core when at least four uses and most of them have it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil

from memory_core.routines.dream.steps import Step
from memory_core.routines.dream.uses import Use

LEAST = 4  # separate uses
NEAR = 40  # steps between two that belong together
TOGETHER = 0.5  # share of the rarer step's uses that have the other step too
MOST = 0.6  # share of the uses that a core step is in
DISTINCT = 60  # kinds of steps of one use that are compared
_ARGUMENTS = 0.75  # share of different second words from which they are arguments, not verbs

Sign = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A step of a procedure with the calls that are it, one or more a use."""

    sign: Sign
    calls: tuple[Step, ...]
    uses: frozenset[int]
    core: bool


@dataclass(frozen=True, slots=True)
class Procedure:
    """`parts` in the usual order; `uses` are those that hold at least half of the core."""

    parts: tuple[Part, ...]
    uses: tuple[Use, ...]

    @property
    def core(self) -> list[Part]:
        """The steps that most uses have."""
        return [part for part in self.parts if part.core]


def procedures(uses: Sequence[Use]) -> list[Procedure]:
    """Every procedure of the uses, the most used first."""
    return _Search(uses).found()


class _Search:
    def __init__(self, uses: Sequence[Use]) -> None:
        self.uses = uses
        name = _Signs(uses)
        self.lines = [[(name(step), step) for step in use.steps] for use in uses]
        self.where: dict[Sign, set[int]] = defaultdict(set)
        for at, line in enumerate(self.lines):
            for sign, step in line:
                if not step.general:
                    self.where[sign].add(at)
        self.frequent = {sign for sign, held in self.where.items() if len(held) >= LEAST}
        self.pairs = self._pairs()

    def found(self) -> list[Procedure]:
        open_pairs = {pair: held for pair, held in self.pairs.items() if self._belong(pair, held)}
        found: list[Procedure] = []
        taken: list[set[Sign]] = []
        for pair, _ in sorted(open_pairs.items(), key=lambda one: (-len(one[1]), one[0])):
            if any(pair[0] in known and pair[1] in known for known in taken):
                continue
            core = self._grown(pair)
            if any(len(core & known) * 2 >= len(core) for known in taken):
                continue
            procedure = self._procedure(core)
            taken.append({part.sign for part in procedure.parts})
            if len(procedure.uses) >= LEAST:
                found.append(procedure)
        return sorted(found, key=lambda one: -len(one.uses))

    def _belong(self, pair: tuple[Sign, Sign], held: set[int]) -> bool:
        """Whether two steps are together often enough, and not by chance alone."""
        rarer = min(len(self.where[pair[0]]), len(self.where[pair[1]]))
        return len(held) >= LEAST and len(held) >= TOGETHER * rarer

    def _pairs(self) -> dict[tuple[Sign, Sign], set[int]]:
        pairs: dict[tuple[Sign, Sign], set[int]] = defaultdict(set)
        for at, line in enumerate(self.lines):
            places: dict[Sign, list[int]] = defaultdict(list)
            for place, (sign, step) in enumerate(line):
                if sign in self.frequent and not step.general and len(places) < DISTINCT:
                    places[sign].append(place)
            for one, other in combinations(sorted(places), 2):
                if any(abs(a - b) <= NEAR for a in places[one][:8] for b in places[other][:8]):
                    pairs[one, other].add(at)
        return pairs

    def _grown(self, pair: tuple[Sign, Sign]) -> set[Sign]:
        core, held = set(pair), self.pairs[pair]
        least = max(LEAST, ceil(MOST * len(held)))
        beside: dict[Sign, set[int]] = defaultdict(set)
        for (one, other), at in self.pairs.items():
            if one in core or other in core:
                beside[other if one in core else one] |= at & held
        return core | {sign for sign, at in beside.items() if len(at) >= least}

    def _procedure(self, core: set[Sign]) -> Procedure:
        half = max(2, ceil(len(core) / 2))
        signs = ({sign for sign, step in line if not step.general} for line in self.lines)
        held = [at for at, own in enumerate(signs) if len(own & core) >= half]
        others = self._between(core, held)
        parts = [self._part(sign, held, core) for sign in {*core, *others}]
        parts.sort(key=lambda part: self._rank(part.sign, held))
        return Procedure(tuple(parts), tuple(self.uses[at] for at in held))

    def _part(self, sign: Sign, held: Iterable[int], core: set[Sign]) -> Part:
        calls = {at: [step for own, step in self.lines[at] if own == sign] for at in held}
        at = frozenset(use for use, steps in calls.items() if steps)
        return Part(
            sign, tuple(step for use in sorted(at) for step in calls[use]), at, sign in core
        )

    def _between(self, core: set[Sign], held: list[int]) -> set[Sign]:
        """What stands among the core steps in at least two uses."""
        counts: dict[Sign, int] = defaultdict(int)
        for at in held:
            line = self.lines[at]
            places = [place for place, (sign, _) in enumerate(line) if sign in core]
            near = line[places[0] : places[-1] + 3]
            for sign in {sign for sign, step in near if not step.general} - core:
                counts[sign] += 1
        return {sign for sign, count in counts.items() if count >= 2}

    def _rank(self, sign: Sign, held: list[int]) -> tuple[float, Sign]:
        ranks = []
        for at in held:
            places = [place for place, (own, _) in enumerate(self.lines[at]) if own == sign]
            if places:
                ranks.append(places[0] / len(self.lines[at]))
        return (sum(ranks) / len(ranks) if ranks else 1.0, sign)


class _Signs:
    """The sign of a step: its words as far as enough uses share them, and its modes."""

    def __init__(self, uses: Sequence[Use]) -> None:
        self._held: dict[Sign, set[int]] = defaultdict(set)
        self._second: dict[str, list[str]] = defaultdict(list)
        for at, use in enumerate(uses):
            for step in use.steps:
                if step.general:
                    continue
                for sign in self._candidates(step):
                    self._held[sign].add(at)
                if len(step.words) > 1:
                    self._second[step.words[0]].append(step.words[1])

    def __call__(self, step: Step) -> Sign:
        if step.general:
            return step.words
        whole = (*step.words, *step.modes)
        return next((s for s in self._candidates(step) if len(self._held[s]) >= LEAST), whole)

    def _candidates(self, step: Step) -> Iterator[Sign]:
        """Signs of a step, the most exact first."""
        for depth in range(len(step.words), self._shortest(step.words) - 1, -1):
            if step.modes:
                yield (*step.words[:depth], *step.modes)
            yield step.words[:depth]

    def _shortest(self, words: Sign) -> int:
        seconds = self._second.get(words[0], [])
        if (
            len(words) > 1
            and len(seconds) >= LEAST
            and len(set(seconds)) >= _ARGUMENTS * len(seconds)
        ):
            return 1
        return min(2, len(words))
