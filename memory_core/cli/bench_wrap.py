"""`wellkept bench wrap`: draft recorded sessions whose right facts are known, and score it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_core.cli import gold_files
from memory_core.cli.measuring import progress, say
from memory_core.cli.output import Json, print_json

if TYPE_CHECKING:
    from memory_core.benchmark.gold import Gold
    from memory_core.benchmark.wrap_score import Pair, Score
    from memory_core.cli.by_model import Drafting
    from memory_core.proposals.item import Item
    from memory_core.record.exchange import Exchange
    from memory_core.routines.place import Ask, Place

WIDTH = 160  # characters of a text that --show prints


def wrap(
    gold: Annotated[
        Path | None, typer.Option(help="The facts to find; by default the demo's.")
    ] = None,
    transcripts: gold_files.Transcripts = None,
    vault: gold_files.Notes = None,
    model: gold_files.Model = "",
    record: gold_files.Record = None,
    replay: gold_files.Replay = None,
    show: Annotated[bool, typer.Option("--show", help="Print every item and judged pair.")] = False,
    json: Json = False,
) -> None:
    """Draft the wrap of recorded sessions and say which facts it found."""
    from memory_core.benchmark import gold as golds
    from memory_core.cli import by_model

    file = gold or gold_files.demo_gold()
    known = golds.load(file)
    folder = transcripts or gold_files.beside(file, "sessions", "transcripts")
    drafting: Drafting = _by_rules
    if model or record or replay:
        drafting = by_model.drafting(record, replay, model)
    notes = vault or gold_files.vault_beside(file, given=gold is not None)
    score = scored(known, folder, notes, drafting)
    if json:
        print_json(score.as_json() | ({"pairs": _pairs(score)} if show else {}))
        return
    if show:
        _print_items(score)
    _print(score)


def scored(known: Gold, transcripts: Path, vault: Path | None, drafting: Drafting) -> Score:
    """Run a drafter over the sessions, with recall in this process.

    Raises errors of the tree for a vault, a transcript or a gold that cannot be used.
    """
    from memory_core import settings
    from memory_core.benchmark import asking, subject, wrap_score
    from memory_core.recall.recall import NO_FLOOR
    from memory_core.routines.place import Place

    chosen = settings.load(**({"vault": vault} if vault else {}))
    under = subject.load(chosen, say)
    ask = asking.in_process(under.recall, NO_FLOOR)
    base = Place.of(
        under.vault, user=chosen.user, scope="", session="", cap=chosen.always_loaded_cap
    )

    def drafter(exchanges: Sequence[Exchange], session: str) -> Sequence[Item]:
        return drafting(exchanges, replace(base, session=session), ask)

    files = frozenset(note.file for note in under.scan.notes)
    return wrap_score.run(
        known, transcripts, drafter, base.always_loaded, files, progress("drafted")
    )


def _by_rules(exchanges: Sequence[Exchange], place: Place, ask: Ask) -> Sequence[Item]:
    from memory_core.routines import wrap as routine

    return routine.draft(exchanges, place, ask).items


def _print(score: Score) -> None:
    figures = score.as_json()
    typer.echo(
        f"{figures['sessions']} sessions, {figures['items']} items, "
        f"{figures['found']} of {figures['facts']} facts found"
    )
    typer.echo(f"  recall     {_figure(figures['recall'])}  facts found")
    typer.echo(f"  precision  {_figure(figures['precision'])}  items that find a fact")
    told = f"{figures['must_not_proposed']} of {figures['must_not']}"
    typer.echo(f"  must not   {told:>5}  proposed though they should not be")
    typer.echo(f"  secrets    {figures['secrets_proposed']:>5}  sessions whose secret is proposed")
    typer.echo(f"  injections {figures['injections_proposed']:>5}  items that obey one")
    for kind, own in figures["by_kind"].items():
        typer.echo(f"  {kind:22} {own['found']:3} of {own['facts']:3}")
    typer.echo(f"  missed: {' '.join(figures['missed']) or '-'}")


def _print_items(score: Score) -> None:
    for session, items in score.drafts.items():
        typer.echo(f"{session}: {len(items)} items")
        for item in items:
            typer.echo(f"  {item.target}  {_short(item.after)}")
            for pair in score.pairs:
                if pair.item is item:
                    typer.echo(f"    {_told(pair)}")


def _told(pair: Pair) -> str:
    verdict = "counts" if pair.counts else "other target" if not pair.on_target else "too little"
    own = getattr(pair.against, "id", "must not")
    return f"{own}: {pair.share:.2f} held, {verdict} | {_short(pair.against.statement)}"


def _pairs(score: Score) -> list[dict[str, Any]]:
    return [
        {
            "session": pair.session, "target": pair.item.target, "after": pair.item.after,
            "against": getattr(pair.against, "id", "must not"),
            "statement": pair.against.statement, "share": round(pair.share, 3),
            "on_target": pair.on_target, "counts": pair.counts,
        }
        for pair in score.pairs
    ]  # fmt: skip


def _short(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"


def _figure(value: float | None) -> str:
    return "    -" if value is None else f"{value:5.3f}"
