"""`wellkept bench list` and `compare`: the kept runs and what changed between them."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_core.cli import bench_questions
from memory_core.cli.bench_scores import SCORES, figure, head
from memory_core.cli.measuring import open_store
from memory_core.cli.output import Json, print_json

if TYPE_CHECKING:
    from memory_core.benchmark.comparison import Comparison
    from memory_core.settings import Settings

_IDS = 12  # ids of questions that a line names
_CHANGES = {
    "questions_added": "+{} questions", "questions_removed": "-{} questions",
    "questions_reworded": "{} questions reworded", "answers_changed": "{} answers changed",
    "judge": "other models", "floor": "floor", "notes": "notes", "vault": "other vault",
}  # fmt: skip


def list_runs(
    name: Annotated[str | None, typer.Option("--set", help="working or heldout.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many, newest first.")] = 20,
    questions: Annotated[
        bool, typer.Option("--questions", help="The working set's questions instead.")
    ] = False,
    json: Json = False,
) -> None:
    """Show the kept runs, newest first, each with what changed since the one before it."""
    if questions:
        return bench_questions.show(name, json=json)
    from memory_core.benchmark import comparison, history

    chosen, database = open_store()
    found = history.runs(database, name, limit + 1, _vault(chosen))
    rows = []
    for at, run in enumerate(found[:limit]):
        last = next((other for other in found[at + 1 :] if other.name == run.name), None)
        rows.append((run, comparison.since(last, run) if last else {}))
    if json:
        print_json([{**head(run), **run.scores, "changed": since} for run, since in rows])
        return None
    for run, since in rows:
        scores = "  ".join(f"{name} {figure(run.scores.get(name))}" for name in SCORES)
        told = _briefly(since)
        typer.echo(
            f"{run.id:4}  {run.at:%Y-%m-%d %H:%M}  {run.name:8} {run.scores['questions']:4}  "
            f"{scores}{f'  ({told})' if told else ''}"
        )
    if not rows:
        typer.echo("no run yet; wellkept bench run makes one")
    return None


def compare(
    before: Annotated[int | None, typer.Argument(help="A run's number.")] = None,
    after: Annotated[int | None, typer.Argument(help="A later run's number.")] = None,
    name: Annotated[str, typer.Option("--set", help="working or heldout.")] = "working",
    json: Json = False,
) -> None:
    """Compare two runs, by default the last two of the set, and say what changed since."""
    from memory_core.benchmark import comparison, history, trend

    chosen, database = open_store()
    older, newer = history.pair(database, name, before, after, _vault(chosen))
    found = comparison.compare(older, newer)
    tells = trend.of_history(database, _vault(chosen))
    if json:
        print_json({"before": head(older), "after": head(newer), **asdict(found),
                    "trend": tells.as_json()})  # fmt: skip
        return
    typer.echo(f"run {older.id} of {older.at:%Y-%m-%d} -> run {newer.id} of {newer.at:%Y-%m-%d}")
    for line in found.said:
        typer.echo(f"  {line}")
    _print_comparison(found)
    typer.echo(f"trend: {tells.verdict}: {tells.said}")


def _print_comparison(found: Comparison) -> None:
    arrow = "->" if found.shared else "|"
    for score, (was, now) in found.scores.items():
        line = f"  {score:10} {figure(was)} {arrow} {figure(now)}"
        if found.shared:
            old, new = found.shared[score]
            line += f"  on the same questions {figure(old)} -> {figure(new)}"
        typer.echo(line)
    if found.shared:
        typer.echo(f"  lost: {_ids(found.lost)}")
        typer.echo(f"  won:  {_ids(found.won)}")
    for what, value in found.changed.items():
        shown = f"{value[0]} -> {value[1]}" if isinstance(value, tuple) else _ids(value)
        typer.echo(f"  {what.replace('_', ' ')}: {shown}")


def _ids(ids: Any) -> str:
    named = " ".join(ids[:_IDS])
    return f"{named} and {len(ids) - _IDS} more" if len(ids) > _IDS else named or "-"


def _briefly(since: dict[str, Any]) -> str:
    return ", ".join(
        told.format(len(since[what])) for what, told in _CHANGES.items() if what in since
    )


def _vault(chosen: Settings) -> str | None:
    """The vault's folder as runs name it; None, which is any, without one that is there."""
    from memory_core.benchmark import subject
    from memory_core.errors import SettingsError, VaultError

    try:
        return str(subject.open_vault(chosen).root)
    except (SettingsError, VaultError):
        return None
