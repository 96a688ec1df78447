"""`wellkept bench dream`: score what dream finds across sessions whose right findings are known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_core.cli.measuring import open_store, say
from memory_core.cli.output import Json, print_json

if TYPE_CHECKING:
    from memory_core.benchmark.dream_score import Dreamed, Drafter, DreamScore
    from memory_core.proposals.item import Item
    from memory_core.record.exchange import Exchange
    from memory_core.routines.place import Ask, Place
    from memory_core.settings import Settings

GoldFile = Annotated[Path | None, typer.Option("--gold", help="By default gold.json beside the vault.")]
Transcripts = Annotated[
    Path | None, typer.Option(help="Their folder; by default sessions beside the vault.")
]
Show = Annotated[bool, typer.Option("--show", help="Show every item with its evidence.")]


def dream(
    gold: GoldFile = None, transcripts: Transcripts = None, show: Show = False, json: Json = False
) -> None:
    """Score what dream finds: procedures, stale notes and near-duplicates."""
    from memory_core.benchmark import dream_gold, dream_score, subject

    chosen, _ = open_store()
    beside = subject.open_vault(chosen).root.parent
    right = dream_gold.load(gold or beside / "gold.json")
    window = dream_score.window(transcripts or beside / "sessions")
    score = dream_score.judge(right, _drafter(chosen)(window))
    if json:
        print_json(score.as_json() | ({"drafted": [_told(i) for i in score.dreamed.items]} if show else {}))
        return
    _print(score)
    for item in score.dreamed.items if show else ():
        _print_item(item)
    for notice in score.dreamed.notices if show else ():
        typer.echo(f"\n{notice}")


def _drafter(chosen: Settings) -> Drafter:
    """Dream without a language model, on the vault of the settings, in this process."""
    from memory_core.routines.place import Place

    vault, ask = _asked(chosen)
    place = Place.of(vault, user=chosen.user, scope="", session="", cap=chosen.always_loaded_cap)
    return lambda exchanges: _dreamed(exchanges, place, ask)


def _asked(chosen: Settings) -> tuple[Any, Ask]:
    """The vault, and its recall in this process at the floor in force."""
    from memory_core.benchmark import subject
    from memory_core.benchmark.asking import in_process
    from memory_core.errors import NotCalibrated
    from memory_core.recall.floor import in_force
    from memory_core.store.database import Database

    under = subject.load(chosen, say)
    database = Database(chosen.resolved_database_url)
    floor = None
    try:
        floor = in_force(database, under.recall.judge_id, under.name).value
    except NotCalibrated as error:
        say(f"{error.message}: recall is not asked")
    return under.vault, in_process(under.recall, floor)


def _dreamed(exchanges: Sequence[Exchange], place: Place, ask: Ask) -> Dreamed:
    from memory_core.benchmark.dream_score import Dreamed
    from memory_core.routines.dream import dream as routine

    found = routine.evidence(exchanges, place, ask)
    drafted = routine.draft(found, place)
    pairs = tuple((pair.one.file, pair.other.file) for pair in found.duplicates)
    return Dreamed(drafted.items, pairs, drafted.notices)


def _print(score: DreamScore) -> None:
    document = score.as_json()
    typer.echo(f"{document['items']} items drafted without a language model")
    for name in ("procedures", "stale_notes", "duplicates"):
        part = document[name]
        shares = "  ".join(f"{share} {_figure(part[share])}" for share in ("precision", "recall"))
        typer.echo(f"  {name.replace('_', ' '):12} {part['right']:3} right  {shares}")
        for kind in ("wrong", "missed"):
            for one in part[kind]:
                typer.echo(f"      {kind}: {one}")
    typer.echo(f"  false alarms {len(document['false_alarms']):3}  {', '.join(document['false_alarms'])}")


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
