"""Benchmark runs, kept for good with everything that made their scores."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from sqlmodel import col, select

from memory_core.benchmark import lost, score
from memory_core.benchmark.questions import QuestionSet
from memory_core.benchmark.score import Result
from memory_core.errors import NotFound
from memory_core.store.database import Database
from memory_core.store.tables import BenchmarkRun, now


@dataclass(frozen=True, slots=True)
class About:
    """What was asked: the models and the floor, the vault's folder, commit and notes.

    `notes` is `digest_of` the notes' content hashes; equal = the same notes, git or not.
    """

    judge: str
    floor: float | None
    vault: str
    vault_commit: str = ""
    notes: str = ""


def digest_of(hashes: Mapping[str, str]) -> str:
    """Twelve hex digits of a scan's content hashes by file."""
    told = "\n".join(f"{hashes[file]} {file}" for file in sorted(hashes))
    return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:12]


def keep(
    database: Database, asked: QuestionSet, results: Sequence[Result], about: About
) -> BenchmarkRun:
    """Store a run and return it with its number.

    Beside the scores stand, under `set`, the sizes and the digest of what was asked, and
    under `vault`, `notes` and `lost` where, over which notes, and what was missed why.
    """
    answerable = sum(result.answerable for result in results)
    scores = {
        **score.summary(results),
        "set": {
            "answerable": answerable, "nonsense": len(results) - answerable,
            "skipped": asked.skipped, "digest": asked.digest,
        },
        "vault": about.vault, "notes": about.notes, "lost": lost.counted(results),
    }  # fmt: skip
    run = BenchmarkRun(
        at=now(), name=asked.name, judge=about.judge, vault_commit=about.vault_commit,
        floor=about.floor, scores=scores, results=score.rows(results),
    )  # fmt: skip
    with database.write() as session:
        session.add(run)
    return run


def runs(
    database: Database, name: str | None = None, limit: int = 20, vault: str | None = None
) -> list[BenchmarkRun]:
    """The newest runs first, of one set or of all, of one vault or of all.

    A run stored before vaults were named counts as of any.
    """
    query = select(BenchmarkRun).order_by(col(BenchmarkRun.id).desc())
    if name:
        query = query.where(BenchmarkRun.name == name)
    if vault is None:
        query = query.limit(limit)
    with database.read() as session:
        own = (row for row in session.exec(query) if of_vault(row, vault))
        return list(islice(own, limit))


def of_vault(run: BenchmarkRun, vault: str | None) -> bool:
    """Whether a run was made over this vault, or may have been."""
    return vault is None or run.scores.get("vault", vault) == vault


def get(database: Database, number: int) -> BenchmarkRun:
    """A run by its number. Raises `NotFound`."""
    with database.read() as session:
        found = session.get(BenchmarkRun, number)
    if found is None:
        raise NotFound(f"no run {number}", remedy="see wellkept bench list")
    return found


def pair(
    database: Database,
    name: str,
    before: int | None,
    after: int | None,
    vault: str | None = None,
) -> tuple[BenchmarkRun, BenchmarkRun]:
    """Two runs by number; without numbers the last two of the set. Raises `NotFound`."""
    last = runs(database, name, 2, vault) if before is None or after is None else []
    if before is None:
        if len(last) < 2:
            raise NotFound(
                f"there {'is 1 run' if last else 'are 0 runs'} of {name}, a comparison needs two",
                remedy="run: wellkept bench run",
            )
        return last[1], last[0]
    older = get(database, before)
    if after is None and not last:
        raise NotFound(f"there is no run of {name} to compare with", remedy="name two runs")
    return older, last[0] if after is None else get(database, after)


def results(run: BenchmarkRun) -> dict[str, Result]:
    """The outcomes of a run by question id."""
    return {row["id"]: Result.of(row) for row in run.results}
