"""`wellkept bench run|list|check|add|compare|wrap|dream`: questions whose right note is known.

They search in this process with the same recall as the warm server, and report
progress on standard error.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_core.cli import bench_dream, bench_questions, bench_runs, bench_wrap
from memory_core.cli import bench_scores as shown
from memory_core.cli.measuring import open_store, progress, say
from memory_core.cli.output import Json, print_json
from memory_core.errors import BadInput

if TYPE_CHECKING:
    from memory_core.benchmark.lost import Searched
    from memory_core.benchmark.sets import Scored, Working
    from memory_core.benchmark.subject import Subject
    from memory_core.store.database import Database

bench = typer.Typer(
    name="bench", no_args_is_help=True, help="Ask questions whose right note is known."
)

BOTH = "both"
SetName = Annotated[str, typer.Option("--set", help="working, heldout or both.")]


@bench.command("run")
def run_set(
    name: SetName = "working",
    missed: Annotated[
        bool, typer.Option("--missed", help="List the missed questions, and why (working set).")
    ] = False,
    json: Json = False,
) -> None:
    """Ask a whole set, keep its scores and say what changed."""
    from memory_core.benchmark import subject

    chosen, database = open_store()
    _known(name, missed)
    _need_questions(subject.open_vault(chosen).root, name)
    under = subject.load(chosen, say)
    if not under.scan.notes:
        say("the vault has no note yet: nothing can be found")
    scored = _scored(database, under, name)
    working = scored.working
    for problem in working.problems if working else ():
        say(f"skipped: {problem}")
    for notice in scored.notices:
        say(notice)
    _report(database, scored, missed, json)


def _known(name: str, missed: bool) -> None:
    from memory_core.benchmark.questions import HELDOUT, SETS

    if name not in (*SETS, BOTH):
        raise BadInput(f"there is no set {name!r}", remedy=f"choose {', '.join(SETS)} or {BOTH}")
    if name == HELDOUT and missed:
        raise BadInput(
            "missed held-out questions are not listed: what is looked at is tuned for",
            remedy="leave out --missed, or run the working set",
        )


def _need_questions(root: Path, name: str) -> None:
    """Say what is missing before the models load, a minute earlier."""
    from memory_core.benchmark import heldout, questions

    if name == questions.HELDOUT:
        heldout.ready(root)
    else:
        questions.need_some(questions.load(root))


def _scored(database: Database, under: Subject, name: str) -> Scored:
    """Ask the named set, or both; raises `NotFound` for one that has no question."""
    from memory_core.benchmark import heldout, sets, trend
    from memory_core.benchmark.asking import asker
    from memory_core.benchmark.questions import HELDOUT, WORKING

    about = under.about(_floor(database, under))
    recall: Searched = under.recall
    ask, root, told = asker(recall, about.floor), under.vault.root, progress("asked")
    if name == BOTH:
        return sets.score_sets(database, root, about, ask, told)
    working = scored = None
    if name == WORKING:
        working = sets.score_working(database, root, about, ask, told)
    if name == HELDOUT:
        scored = heldout.score_heldout(database, root, about, ask, told)
    return sets.Scored(working, scored, trend.of_history(database, about.vault))


def _floor(database: Database, under: Subject) -> float | None:
    from memory_core.errors import NotCalibrated
    from memory_core.recall.floor import in_force

    try:
        return in_force(database, under.recall.judge_id, under.name).value
    except NotCalibrated as error:
        say(f"{error.message}: scored without a floor")
        return None


def _report(database: Database, scored: Scored, missed: bool, json: bool) -> None:
    """Each run with what changed since the one before; the working set's stands at the top."""
    from memory_core.benchmark import history

    documents: list[dict[str, Any]] = []
    if scored.working:
        documents.append(shown.document(database, scored.working.run))
        if missed:
            documents[0]["missed"] = _missed(scored.working)
    if scored.heldout:
        documents.append(shown.document(database, history.get(database, scored.heldout.run)))
    if json:
        first, *others = documents
        print_json({**first, **{one["set"]: one for one in others},
                    "trend": scored.trend.as_json()})  # fmt: skip
        return
    for one in documents:
        shown.print_scores(one)
    for line in documents[0]["missed"] if missed else ():
        shown.print_missed(line)
    typer.echo(f"trend: {scored.trend.verdict}: {scored.trend.said}")


def _missed(working: Working) -> list[dict[str, Any]]:
    asked = {question.id: question for question in working.questions}
    return [
        {
            "id": result.id, "kind": result.kind, "query": asked[result.id].query,
            "note": asked[result.id].note, "lost": result.lost, "rank": result.rank,
            "score": result.score, "best": result.best, "above": list(result.above),
        }
        for result in working.results if result.lost
    ]  # fmt: skip


bench.command("list")(bench_runs.list_runs)
bench.command("compare")(bench_runs.compare)
bench.command("check")(bench_questions.check)
bench.command("add")(bench_questions.add)
bench.command("wrap")(bench_wrap.wrap)
bench.command("dream")(bench_dream.dream)
