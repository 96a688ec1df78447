"""Both question sets scored over a vault as it is; of the held-out set only numbers come back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memory_core import paths
from memory_core.benchmark import sets
from memory_core.benchmark.bench import Bench
from memory_core.benchmark.history import digest_of
from memory_core.benchmark.questions import HELDOUT, WORKING
from memory_core.benchmark.scratch import Scratch
from memory_core.benchmark.sets import About, Scored
from memory_core.routines.optimize.judged import Tell
from memory_core.routines.place import Ask
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.vault.repository import head_commit
from memory_core.vault.vault import Vault

SCORES = ("questions", "hit@3", "answered", "point", "quiet", "characters")


def scores(
    settings: Settings, database: Database, root: Path, ask: Ask, tell: Tell
) -> dict[str, Any]:
    """Score both sets as the vault is and keep the runs.

    Returns `{run, scores}` under `working` and `heldout`, where there are such sets, `trend`
    and `notices`. Raises what the server's client and the vault raise.
    """
    vault = Vault(root, settings.always_loaded)
    scan = vault.scan()
    bench = Bench.of(settings, ask, paths.cache_file())
    about = About(
        bench.judge, bench.floor, str(vault.root), head_commit(vault.root), digest_of(scan.hashes)
    )
    done = sets.score_sets(
        database, vault.root, about, Scratch(bench, scan.notes).attributed,
        lambda done, of: tell(done / of, f"{done} of {of} questions scored"),
    )  # fmt: skip
    return _numbers(done)


def _numbers(done: Scored) -> dict[str, Any]:
    """What is kept of a scoring: no question, and of the held-out set nothing but shares."""
    trend = "" if done.trend.verdict == "unknown" else done.trend.said
    told: dict[str, Any] = {"trend": trend, "notices": list(done.notices)}
    if done.trend.warns:
        told["notices"].append(trend)
    if done.working:
        run = done.working.run
        told[WORKING] = {"run": run.id, "scores": {name: run.scores[name] for name in SCORES}}
    if done.heldout:
        of = done.heldout
        told[HELDOUT] = {"run": of.run, "scores": {
            "questions": of.questions, "hit@3": of.hit, "answered": of.answered,
            "point": of.point, "quiet": of.quiet, "characters": of.characters,
        }}  # fmt: skip
    return told
