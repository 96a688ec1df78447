"""Benchmark runs, kept for good; two of them compared with what changed in between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlmodel import col, select

from memory_core.benchmark import score
from memory_core.benchmark.score import Result
from memory_core.errors import NotFound
from memory_core.store.database import Database
from memory_core.store.tables import BenchmarkRun, now


def keep(
    database: Database,
    name: str,
    results: Sequence[Result],
    *,
    judge: str,
    floor: float | None,
    vault_commit: str,
) -> BenchmarkRun:
    """Store a run and return it with its number."""
    run = BenchmarkRun(
        at=now(), name=name, judge=judge, vault_commit=vault_commit, floor=floor,
        scores=score.summary(results), results=score.rows(results),
    )  # fmt: skip
    with database.write() as session:
        session.add(run)
    return run


def runs(database: Database, name: str | None = None, limit: int = 20) -> list[BenchmarkRun]:
    """The newest runs first, of one set or of all."""
    query = select(BenchmarkRun).order_by(col(BenchmarkRun.id).desc()).limit(limit)
    if name:
        query = query.where(BenchmarkRun.name == name)
    with database.read() as session:
        return list(session.exec(query).all())


def pair(
    database: Database, name: str, before: int | None, after: int | None
) -> tuple[BenchmarkRun, BenchmarkRun]:
    """Two runs by number; without numbers the last two of the set. Raises `NotFound`."""
    if before is None:
        last = runs(database, name, 2)
        if len(last) < 2:
            raise NotFound(
                f"there are {len(last)} runs of {name}, a comparison needs two",
                remedy="run: wellkept bench run",
            )
        return last[1], last[0]
    with database.read() as session:
        found = [session.get(BenchmarkRun, number) for number in (before, after)]
    older, newer = found[0], found[1] if after is not None else _last(database, name)
    if older is None or newer is None:
        raise NotFound(f"no run {before if older is None else after}", remedy="wellkept bench list")
    return older, newer


def _last(database: Database, name: str) -> BenchmarkRun | None:
    return next(iter(runs(database, name, 1)), None)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs side by side.

    `scores` maps a score's name to (before, after); `shared` does so over the questions
    that both runs asked, so a fall because the test grew is told apart from a worse
    recall. `lost` and `won` are ids whose note left or joined the three; `changed` says
    what else differs.
    """

    scores: dict[str, tuple[float | None, float | None]]
    shared: dict[str, tuple[float | None, float | None]]
    lost: tuple[str, ...]
    won: tuple[str, ...]
    changed: dict[str, Any]


def compare(before: BenchmarkRun, after: BenchmarkRun) -> Comparison:
    """What happened between two runs."""
    old, new = (_results(run) for run in (before, after))
    both = [key for key in new if key in old]
    old_shared = score.summary([old[key] for key in both])
    new_shared = score.summary([new[key] for key in both])
    changed: dict[str, Any] = {
        "questions_added": sorted(new.keys() - old.keys()),
        "questions_removed": sorted(old.keys() - new.keys()),
    }
    for name in ("name", "judge", "floor", "vault_commit"):
        pair = getattr(before, name), getattr(after, name)
        if pair[0] != pair[1]:
            changed[name] = pair
    return Comparison(
        scores=_pairs(before.scores, after.scores),
        shared=_pairs(old_shared, new_shared),
        lost=tuple(key for key in both if old[key].hit and not new[key].hit),
        won=tuple(key for key in both if new[key].hit and not old[key].hit),
        changed=changed,
    )


def _results(run: BenchmarkRun) -> dict[str, Result]:
    return {row["id"]: Result(**row) for row in run.results}


def _pairs(
    before: dict[str, Any], after: dict[str, Any]
) -> dict[str, tuple[float | None, float | None]]:
    names = ("hit@3", "answered", "point", "pool", "quiet", "mrr", "characters")
    return {name: (before.get(name), after.get(name)) for name in names}
