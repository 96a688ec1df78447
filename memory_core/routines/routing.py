"""Where a finding goes: the note that is about it, or none.

Three witnesses: recall for the finding's own words, the words of the talk around it, and
those of the whole session. A note is about a finding when recall alone is sure, when
recall and the words agree, or when the whole session moves around one note.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median

from memory_core.routines.affinity import Affinity, words_of
from memory_core.routines.evidence import Finding
from memory_core.routines.place import Ask, Place
from memory_core.routines.statements import Row

LIMIT = 10  # notes an answer may name
SURE = 8.0  # raw score above the other notes' median: recall alone
HALF = 0.5  # of the nearest note's words, without which recall alone is not believed
AGREED = 2.0  # the same where words agree, among recall's first three
FIRST = 3
LEADS = 1.05  # how far the nearest note by words must be ahead of the next
DOMINANT = 1.3  # how many times nearer to the session than the next note
_SPREAD = 20.0  # raw score that weighs as much as being the nearest note of the session
_SESSION, _AROUND = 1.5, 0.5


@dataclass(frozen=True, slots=True)
class Nearness:
    """A note as recall sees it: best score and best cosine over its passages."""

    score: float
    cosine: float


@dataclass(frozen=True, slots=True)
class Route:
    """`file` is the note that is about it, "" for none; `near` is what recall found."""

    file: str
    near: Mapping[str, Nearness] = field(default_factory=dict)


class Router:
    """Routes the findings of one session; `reason` says why recall could not, if so."""

    def __init__(self, rows: Sequence[Row], poison: Sequence[str], place: Place, ask: Ask) -> None:
        self._rows, self._poison, self._place, self._ask = rows, poison, place, ask
        self._files = {note.file for note in place.notes}
        self.reason = ""

    @cached_property
    def _affinity(self) -> Affinity:
        return Affinity(self._place.notes)

    @cached_property
    def _session(self) -> dict[str, float]:
        return self._affinity.of(words_of(self._rows, self._poison))

    def route(self, finding: Finding, text: str) -> Route:
        """Where `text`, the words of a finding, belongs."""
        if not self._files:
            return Route("")
        near = self._near(text)
        around = self._rows[max(0, finding.order - 4) : finding.order + 2]
        words = self._words([text, *words_of(around, self._poison)])
        above = _above(near)
        files = {*near, *words}
        if not files:
            return Route("", near)
        best = max(
            files, key=lambda file: (above.get(file, 0.0) / _SPREAD + words.get(file, 0.0), file)
        )
        return Route(best if self._is_about(best, above, words) else "", near)

    def _words(self, around: Sequence[str]) -> dict[str, float]:
        """How near each note is by words: to the session above all, to the talk around it."""
        local = self._affinity.of(around)
        return {
            file: _SESSION * self._session.get(file, 0.0) + _AROUND * local.get(file, 0.0)
            for file in {*self._session, *local}
        }

    def _is_about(self, best: str, above: Mapping[str, float], words: Mapping[str, float]) -> bool:
        own, most = above.get(best, 0.0), max(words.values(), default=0.0)
        if own >= SURE and words.get(best, 0.0) >= HALF * most:
            return True
        first = sorted(above, key=lambda file: -above[file])[:FIRST]
        second = sorted(words.values())[-2] if len(words) > 1 else 0.0
        named = words.get(best) == most >= LEADS * second
        agreed = own >= AGREED and best in first and named
        return agreed or self._dominates(best)

    def _dominates(self, file: str) -> bool:
        """Whether the session is far nearer to this note than to any other."""
        others = [value for other, value in self._session.items() if other != file]
        return self._session.get(file) == 1.0 and DOMINANT * max(others, default=0.0) <= 1.0

    def _near(self, text: str) -> dict[str, Nearness]:
        answer = self._ask(
            "recall",
            {"query": text[:2000], "limit": LIMIT, "explain": True, "bulk": True,
             "user": self._place.user, "scope": self._place.scope, "deadline_ms": 60_000},
        )  # fmt: skip
        if answer.get("status") == "unavailable":
            self.reason = str(answer.get("reason") or "recall is unavailable")
            return {}
        near: dict[str, Nearness] = {}
        for row in answer.get("pool", ()):
            if row["source"] in self._files:
                known = near.get(row["source"], Nearness(row["score"], row["cosine"]))
                score, cosine = max(known.score, row["score"]), max(known.cosine, row["cosine"])
                near[row["source"]] = Nearness(score, cosine)
        return near


def _above(near: Mapping[str, Nearness]) -> dict[str, float]:
    """Each note's score above the median of all that recall looked at."""
    middle = median([each.score for each in near.values()]) if len(near) > 2 else 0.0
    return {file: each.score - middle for file, each in near.items()}
