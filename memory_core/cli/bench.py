"""`wellkept bench run|list|check|add|compare|wrap`: ask questions whose right note is known.

They search in this process with the same recall as the warm server, and report
progress on standard error.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_core.cli import bench_dream, bench_wrap
from memory_core.cli.measuring import open_store, progress, say, settings
from memory_core.cli.output import Json, print_json

if TYPE_CHECKING:
    from memory_core.store.tables import BenchmarkRun

bench = typer.Typer(
    name="bench", no_args_is_help=True, help="Ask questions whose right note is known."
)

bench.command("wrap")(bench_wrap.wrap)
bench.command("dream")(bench_dream.dream)

SetName = Annotated[str, typer.Option("--set", help="working or heldout.")]
SCORES = {
    "hit@3": "right note among the best three, whatever the floor",
    "answered": "right note among the three shown, at the floor",
    "point": "answering point in the text shown, of the notes shown",
    "pool": "right note among the passages the re-ranker reads",
    "quiet": "nonsense on which nothing is shown",
}


@bench.command("run")
def run_set(name: SetName = "working", json: Json = False) -> None:
    """Ask a whole set and keep its scores."""
    from memory_core.benchmark import history, questions, score, subject
    from memory_core.errors import NotCalibrated
    from memory_core.recall.floor import in_force

    chosen, database = open_store()
    asked = questions.load(subject.open_vault(chosen).root, name)
    for problem in asked.problems:
        say(f"skipped: {problem}")
    under = subject.load(chosen, say)
    floor = None
    try:
        floor = in_force(database, under.recall.judge_id, under.name).value
    except NotCalibrated as error:
        say(f"{error.message}: scored without a floor")
    results = score.run(under.recall, asked.questions, floor, progress("asked"))
    run = history.keep(
        database, name, results,
        judge=under.recall.judge_id, floor=floor, vault_commit=under.commit,
    )  # fmt: skip
    document = {**_head(run), "skipped": asked.skipped, **run.scores}
    print_json(document) if json else _print_scores(document)


@bench.command("list")
def list_runs(
    name: Annotated[str | None, typer.Option("--set", help="working or heldout.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many, newest first.")] = 20,
    json: Json = False,
) -> None:
    """Show the kept runs, newest first."""
    from memory_core.benchmark import history

    _, database = open_store()
    runs = history.runs(database, name, limit)
    if json:
        print_json([{**_head(run), **run.scores} for run in runs])
        return
    for run in runs:
        scores = "  ".join(f"{name} {_figure(run.scores.get(name))}" for name in SCORES)
        typer.echo(f"{run.id:4}  {run.at:%Y-%m-%d %H:%M}  {run.name:8} {scores}")
    if not runs:
        typer.echo("no run yet; wellkept bench run makes one")


@bench.command()
def check(name: SetName = "working", json: Json = False) -> None:
    """Tell which questions no longer fit the vault; exit code 1 when one does not."""
    from memory_core.benchmark import questions, subject

    vault = subject.open_vault(settings())
    asked = questions.load(vault.root, name)
    texts = {note.file: vault.read(note.file) for note in vault.scan().notes}
    found = [
        {"id": own, "problem": problem} for own, problem in questions.check(asked.questions, texts)
    ]
    found += [{"id": "", "problem": problem} for problem in asked.problems]
    if json:
        print_json({"set": name, "questions": len(asked.questions), "problems": found})
    else:
        for row in found:
            typer.echo(f"{row['id'] or '-':8} {row['problem']}")
        typer.echo(f"{len(asked.questions)} questions, {len(found)} problems")
    raise typer.Exit(1 if found else 0)


@bench.command()
def add(
    query: Annotated[str, typer.Argument(help="The request, as somebody would type it.")],
    note: Annotated[
        str | None, typer.Option(help="The right note's file; none = nonsense.")
    ] = None,
    point: Annotated[str | None, typer.Option(help="The words in it that answer.")] = None,
    kind: Annotated[str | None, typer.Option(help="direct, prompt, paraphrase, ...")] = None,
    own_id: Annotated[str, typer.Option("--id", help="By default the next number.")] = "",
    name: SetName = "working",
    json: Json = False,
) -> None:
    """Add a question to a set; without --note it is nonsense, on which quiet is right."""
    from memory_core.benchmark import questions, subject

    vault = subject.open_vault(settings())
    texts = {found.file: vault.read(found.file) for found in vault.scan().notes}
    wanted = kind or ("direct" if note else questions.NONSENSE)
    question = questions.Question(own_id, query, note, point, wanted)
    added = questions.add(vault.root, name, question, texts)
    if json:
        print_json({**asdict(added), "set": name})
    else:
        typer.echo(f"{added.id} added to {questions.file_of(vault.root, name)}")


@bench.command()
def compare(
    before: Annotated[int | None, typer.Argument(help="A run's number.")] = None,
    after: Annotated[int | None, typer.Argument(help="A later run's number.")] = None,
    name: SetName = "working",
    json: Json = False,
) -> None:
    """Compare two runs, by default the last two of the set, and say what changed since."""
    from memory_core.benchmark import history

    _, database = open_store()
    older, newer = history.pair(database, name, before, after)
    found = history.compare(older, newer)
    if json:
        print_json({"before": _head(older), "after": _head(newer), **asdict(found)})
        return
    typer.echo(f"run {older.id} of {older.at:%Y-%m-%d} -> run {newer.id} of {newer.at:%Y-%m-%d}")
    for score, (was, now) in found.scores.items():
        on_both = found.shared[score]
        same = f"  on the same questions {_figure(on_both[0])} -> {_figure(on_both[1])}"
        typer.echo(f"  {score:10} {_figure(was)} -> {_figure(now)}{same}")
    typer.echo(f"  lost: {' '.join(found.lost) or '-'}")
    typer.echo(f"  won:  {' '.join(found.won) or '-'}")
    for what, value in found.changed.items():
        if value:
            shown = f"{value[0]} -> {value[1]}" if isinstance(value, tuple) else " ".join(value)
            typer.echo(f"  {what.replace('_', ' ')}: {shown}")


def _print_scores(document: dict[str, Any]) -> None:
    floor = document["floor"]
    typer.echo(
        f"run {document['id']}: {document['questions']} questions of the {document['set']} set, "
        f"floor {'none' if floor is None else f'{floor:.3f}'}"
    )
    for name, meaning in SCORES.items():
        typer.echo(f"  {name:10} {_figure(document[name]):>6}  {meaning}")
    latency = document["latency_ms"]
    typer.echo(f"  characters {document['characters']:>6}  shown above a request, mean")
    typer.echo(f"  latency    {latency['p50']} ms p50, {latency['p95']} ms p95, in this process")
    width = max(map(len, document["by_kind"]), default=0)
    for kind, scores in document["by_kind"].items():
        cells = "  ".join(f"{name} {_figure(scores[name]):>5}" for name in SCORES)
        typer.echo(f"  {kind:{width}} {scores['questions']:4}  {cells}")


def _head(run: BenchmarkRun) -> dict[str, Any]:
    return {
        "id": run.id, "at": run.at.isoformat(), "set": run.name, "judge": run.judge,
        "floor": run.floor, "vault_commit": run.vault_commit,
    }  # fmt: skip


def _figure(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
