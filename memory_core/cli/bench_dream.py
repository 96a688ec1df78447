"""`wellkept bench dream`: score what dream finds across sessions whose right findings are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_core.cli import gold_files
from memory_core.cli.measuring import say
from memory_core.cli.output import Json, print_json

if TYPE_CHECKING:
    from memory_core.benchmark.dream_score import Dreamed, DreamScore
    from memory_core.benchmark.subject import Subject
    from memory_core.proposals.item import Item
    from memory_core.record.exchange import Exchange
    from memory_core.routines.place import Ask, Place
    from memory_core.settings import Settings

    Drafting = Callable[[Sequence[Exchange], Place, Ask], Dreamed]


def dream(
    gold: Annotated[Path | None, typer.Option(help="What to find; by default the demo's.")] = None,
    transcripts: gold_files.Transcripts = None,
    vault: gold_files.Notes = None,
    model: gold_files.Model = "",
    record: gold_files.Record = None,
    replay: gold_files.Replay = None,
    show: Annotated[
        bool, typer.Option("--show", help="Print every item with its evidence.")
    ] = False,
    json: Json = False,
) -> None:
    """Dream over recorded sessions and score procedures, stale notes and near-duplicates."""
    from memory_core.cli import by_model

    drafting: Drafting = by_rules
    if model or record or replay:
        drafting = by_model.dreaming(record, replay, model)
    file = gold or gold_files.demo_gold()
    folder = transcripts or gold_files.beside(file, "sessions", "transcripts")
    notes = vault or gold_files.vault_beside(file, given=gold is not None)
    score = scored(file, folder, notes, drafting)
    if json:
        told = {"drafted": [_told(item) for item in score.dreamed.items]} if show else {}
        print_json(score.as_json() | told)
        return
    _print(score, "without a language model" if drafting is by_rules else "by the model")
    for item in score.dreamed.items if show else ():
        _print_item(item)
    for notice in score.dreamed.notices if show else ():
        typer.echo(f"\n{notice}")


def scored(gold: Path, transcripts: Path, vault: Path | None, drafting: Drafting) -> DreamScore:
    """Let a drafter dream over all sessions, with recall in this process, and score it.

    Raises errors of the tree for a vault, a transcript or a gold that cannot be used.
    """
    from memory_core import settings
    from memory_core.benchmark import dream_gold, dream_score, subject
    from memory_core.benchmark.asking import in_process
    from memory_core.routines.place import Place

    known, window = dream_gold.load(gold), dream_score.window(transcripts)
    chosen = settings.load(**({"vault": vault} if vault else {}))
    under = subject.load(chosen, say)
    place = Place.of(
        under.vault, user=chosen.user, scope="", session="", cap=chosen.always_loaded_cap
    )
    dreamed = drafting(window, place, in_process(under.recall, _floor(chosen, under)))
    return dream_score.judge(known, dreamed)


def by_rules(exchanges: Sequence[Exchange], place: Place, ask: Ask) -> Dreamed:
    """Dream without a language model."""
    from memory_core.benchmark.dream_score import Dreamed
    from memory_core.routines.dream import dream as routine

    found = routine.evidence(exchanges, place, ask)
    drafted = routine.draft(found, place)
    pairs = tuple((pair.one.file, pair.other.file) for pair in found.duplicates)
    return Dreamed(drafted.items, pairs, drafted.notices)


def _floor(chosen: Settings, under: Subject) -> float | None:
    """The floor in force; None, so that recall is not asked, for a vault that has none."""
    from memory_core.errors import NotCalibrated
    from memory_core.recall.floor import in_force
    from memory_core.store.database import Database

    try:
        database = Database(chosen.resolved_database_url)
        return in_force(database, under.recall.judge_id, under.name).value
    except NotCalibrated as error:
        say(f"{error.message}: recall is not asked")
        return None


def _print(score: DreamScore, how: str) -> None:
    document = score.as_json()
    typer.echo(f"{document['items']} items drafted {how}")
    for name in ("procedures", "stale_notes", "duplicates"):
        part = document[name]
        shares = "  ".join(f"{share} {_figure(part[share])}" for share in ("precision", "recall"))
        typer.echo(f"  {name.replace('_', ' '):12} {part['right']:3} right  {shares}")
        for kind in ("wrong", "missed"):
            for one in part[kind]:
                typer.echo(f"      {kind}: {one}")
    typer.echo(
        f"  false alarms {len(document['false_alarms']):3}  {', '.join(document['false_alarms'])}"
    )


def _print_item(item: Item) -> None:
    typer.echo(f"\n{item.action} {item.target}: {item.title}  (value {item.value:.2f})")
    for line in item.after.splitlines():
        typer.echo(f"    {line}")
    for piece in item.evidence:
        typer.echo(f"  > {piece.session} {piece.ref} {piece.source}: {piece.quote}")


def _told(item: Item) -> dict[str, Any]:
    return {
        "action": item.action, "target": item.target, "title": item.title, "before": item.before,
        "after": item.after, "value": item.value,
        "evidence": [piece.as_json() for piece in item.evidence],
    }  # fmt: skip


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
