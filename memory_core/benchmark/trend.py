"""Whether memory got better: both sets rising is, the working set alone is a warning.

Both sets are compared at two moments, each a run of either set over the same notes with
the same models. A change counts when a paired bootstrap interval excludes zero (change.py);
the warning also asks that the working set rose by more than the held-out set, since a small
held-out set can rise without its own interval showing it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from memory_core.benchmark import change, comparison, history
from memory_core.benchmark.change import Change
from memory_core.benchmark.questions import HELDOUT, WORKING
from memory_core.store.database import Database
from memory_core.store.tables import BenchmarkRun

Verdict = Literal["improvement", "warning", "unsure", "fall", "steady", "unknown"]
MOMENTS = 12  # how far back a slow change is looked for
_RUNS = 60
_FITTED = "memory may be fitted to the working questions"


@dataclass(frozen=True, slots=True)
class Trend:
    """`said` is one line; `runs` are the numbers (working, held-out) before and after."""

    verdict: Verdict
    said: str
    working: Change | None = None
    heldout: Change | None = None
    runs: tuple[tuple[int, int], tuple[int, int]] | None = None

    @property
    def warns(self) -> bool:
        """Whether a person should look."""
        return self.verdict == "warning"

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        from dataclasses import asdict

        return asdict(self)


@dataclass(frozen=True, slots=True)
class Moment:
    """A run of each set over the same notes with the same models."""

    working: BenchmarkRun
    heldout: BenchmarkRun


def judged(working: Change, heldout: Change, looks: int = 1) -> tuple[Verdict, str]:
    """What two changes over the same time say together."""
    told = f"working set {working.said}, held-out set {heldout.said}"
    if working.rose and heldout.rose:
        return "improvement", f"both sets rose: {told}"
    if working.rose and change.exceeds(working, heldout, looks):
        return "warning", f"the working set rose and the held-out set did not: {told}; {_FITTED}"
    if working.rose:
        return "unsure", f"the working set rose, the held-out set is too small to tell: {told}"
    if working.fell or heldout.fell:
        both = "both sets" if working.fell and heldout.fell else None
        return "fall", f"{both or _one(working.fell)} fell: {told}"
    if heldout.rose:
        return "steady", f"the held-out set rose: {told}"
    return "steady", f"no more than noise: {told}"


def between(before: Moment, after: Moment, looks: int = 1) -> Trend:
    """What changed from one moment to a later one, in one of so many looks."""
    if before.working.judge != after.working.judge:
        return Trend("unknown", "the models were exchanged: scores before and after do not compare")
    working = _change(before.working, after.working, looks)
    heldout = _change(before.heldout, after.heldout, looks)
    if working is None or heldout is None:
        name = WORKING if working is None else "held-out"
        return Trend("unknown", f"the {name} set has no answerable question in common", working)
    verdict, said = judged(working, heldout, looks)
    at = f"since run {before.working.id} of {before.working.at:%Y-%m-%d}"
    runs = (_numbers(before), _numbers(after))
    return Trend(verdict, f"{said} ({at})", working, heldout, runs)


def of_history(database: Database, vault: str | None = None) -> Trend:
    """What the newest moment says against the nearest earlier one from which it differs.

    Looking back until something differs also finds what crept in over many small changes.
    """
    working = history.runs(database, WORKING, _RUNS, vault)
    heldout = history.runs(database, HELDOUT, _RUNS, vault)
    if not working:
        return Trend("unknown", "the working set was never asked")
    if not heldout:
        return Trend(
            "unknown",
            "the held-out set was never asked: a rise of the working set alone proves nothing",
        )
    found = moments(working, heldout)
    if not found or _notes(found[0].working) != _notes(working[0]):
        return Trend(
            "unknown",
            "the held-out set was not asked over the notes as they are now "
            "(wellkept bench run --set both asks both)",
        )
    if len(found) < 2:
        exchanged = any(run.judge != working[0].judge for run in working)
        why = "the models were exchanged" if exchanged else "both sets were asked once only"
        return Trend("unknown", f"{why}: there is nothing to compare with yet")
    earlier = found[1 : MOMENTS + 1]
    trends = [between(before, found[0], len(earlier)) for before in earlier]
    telling = (trend for trend in trends if trend.verdict not in ("steady", "unknown"))
    return next(telling, trends[0])


def moments(working: list[BenchmarkRun], heldout: list[BenchmarkRun]) -> list[Moment]:
    """The moments of the newest working run's models, newest first; runs come newest first."""
    of: dict[str, BenchmarkRun] = {}
    for run in heldout:
        if run.judge == working[0].judge:
            of.setdefault(_notes(run), run)
    found: dict[str, Moment] = {}
    for run in working:
        notes = _notes(run)
        if run.judge == working[0].judge and notes and notes in of:
            found.setdefault(notes, Moment(run, of[notes]))
    return list(found.values())


def _change(before: BenchmarkRun, after: BenchmarkRun, looks: int) -> Change | None:
    return change.between(
        *comparison.common(history.results(before), history.results(after)), looks
    )


def _notes(run: BenchmarkRun) -> str:
    return str(run.scores.get("notes", ""))


def _numbers(moment: Moment) -> tuple[int, int]:
    return moment.working.id or 0, moment.heldout.id or 0


def _one(working: bool) -> str:
    return "the working set" if working else "the held-out set"
