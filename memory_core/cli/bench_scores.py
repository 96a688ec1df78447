"""Scores of a benchmark run as documents and as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from memory_core.store.database import Database
    from memory_core.store.tables import BenchmarkRun

SCORES = {
    "hit@3": "right note among the best three, whatever the floor",
    "answered": "right note among the three shown, at the floor",
    "point": "answering point in the text shown, of the notes shown",
    "pool": "right note among the passages the re-ranker reads",
    "quiet": "nonsense on which nothing is shown",
}
_QUERY = 100  # characters of a missed question that a line shows


def head(run: BenchmarkRun) -> dict[str, Any]:
    """What a run was a run of."""
    return {
        "id": run.id, "at": run.at.isoformat(), "set": run.name, "judge": run.judge,
        "floor": run.floor, "vault_commit": run.vault_commit,
    }  # fmt: skip


def document(database: Database, run: BenchmarkRun) -> dict[str, Any]:
    """A run just made: its head, its scores and, under `since`, how it differs from the last."""
    from memory_core.benchmark import comparison, history

    scores = dict(run.scores)
    sizes = scores.pop("set", {})
    told = {
        **head(run), **scores, "answerable": sizes.get("answerable"),
        "nonsense": sizes.get("nonsense"), "skipped": sizes.get("skipped", 0),
        "questions_digest": sizes.get("digest", ""), "since": None,
    }  # fmt: skip
    last = history.runs(database, run.name, 2, scores.get("vault"))[1:]
    if last:
        found = comparison.compare(last[0], run)
        told["since"] = {"run": last[0].id, "changed": found.changed, "said": list(found.said)}
    return told


def print_scores(told: dict[str, Any]) -> None:
    """A run with its kinds, its losses and what changed since the last."""
    floor, skipped = told["floor"], told["skipped"]
    typer.echo(
        f"run {told['id']}: {told['questions']} questions of the {told['set']} set"
        f" ({told['answerable']} answerable, {told['nonsense']} nonsense"
        f"{f', {skipped} lines skipped' if skipped else ''}), "
        f"floor {'none' if floor is None else f'{floor:.3f}'}"
    )
    for name, meaning in SCORES.items():
        typer.echo(f"  {name:10} {figure(told[name]):>6}  {meaning}")
    latency = told["latency_ms"]
    typer.echo(f"  characters {told['characters']:>6}  shown above a request, mean")
    typer.echo(f"  latency    {latency['p50']} ms p50, {latency['p95']} ms p95, in this process")
    if not told["answerable"]:
        typer.echo("  no question has an answer: only quiet is measured")
    _print_kinds(told["by_kind"])
    _print_lost(told["lost"])
    if told["since"]:
        for line in told["since"]["said"]:
            typer.echo(f"  since run {told['since']['run']}: {line}")


def print_missed(row: dict[str, Any]) -> None:
    """One missed question: why, and what stood above."""
    from memory_core.text import one_line

    query = one_line(row["query"])
    query = query if len(query) <= _QUERY else f"{query[: _QUERY - 1]}…"
    where = f"rank {row['rank']}" if row["rank"] else "not in the pool"
    typer.echo(f"{row['id']:8} {row['lost']}: {query}")
    typer.echo(f"{'':8} {row['note']} ({where}); above: {', '.join(row['above']) or '-'}")


def figure(value: float | None) -> str:
    """A score in three decimals, `-` where nothing was counted."""
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _print_kinds(kinds: dict[str, dict[str, Any]]) -> None:
    width = max(map(len, kinds), default=0)
    for kind, scores in kinds.items():
        cells = "  ".join(f"{name} {figure(scores[name]):>5}" for name in SCORES)
        typer.echo(f"  {kind:{width}} {scores['questions']:4}  {cells}")


def _print_lost(counts: dict[str, int]) -> None:
    from memory_core.benchmark.lost import REASONS

    typer.echo(f"  missed: {sum(counts.values())}")
    for reason, count in counts.items():
        if count:
            typer.echo(f"    {reason:18} {count:4}  {REASONS[reason]}")
