"""`wellkept calibrate`: measure the floor under which nothing is shown."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from memory_core.cli.measuring import open_store, progress, say
from memory_core.cli.output import Json, print_json

if TYPE_CHECKING:
    from memory_core.benchmark.separation import Measured


def calibrate(
    quiet: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="Wanted share of nonsense kept quiet; by default the setting `quiet`.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Measure the floor under which nothing is shown, and keep it."""
    from memory_core.benchmark import calibrate as calibration
    from memory_core.benchmark import subject

    settings, database = open_store()
    under = subject.load(settings, say)
    measured, problems = calibration.of_vault(
        under.recall, under.vault.root, under.scan.notes,
        margin=settings.floor_margin, quiet=settings.quiet if quiet is None else quiet,
        progress=progress("asked"),
    )  # fmt: skip
    for problem in problems:
        say(f"not used: {problem}")
    row = calibration.keep(database, measured, judge=under.recall.judge_id, vault=under.name)
    if json:
        print_json({"id": row.id, "judge": row.judge, "vault": row.vault, **asdict(measured)})
    else:
        _print_floor(measured, row.judge)


def _print_floor(measured: Measured, judge: str) -> None:
    flattering = ""
    if measured.questions == "general":
        flattering = " (general questions only: the notes' own descriptions, so flattering)"
    lines = [
        f"floor      {measured.floor:.3f}   for {judge}",
        f"clearance  {measured.clearance:.3f}   over {measured.best_nonsense_id}, "
        f"the best of {measured.nonsense} nonsense questions",
        f"answered   {measured.answered:.1%} of {measured.answerable}, cross-validated{flattering}",
        f"quiet      {measured.quiet:.1%} of {measured.nonsense}, cross-validated",
    ]
    if measured.held:
        lines.append(f"left out   {' '.join(measured.held)}: this vault seems to hold them")
    if not measured.separated:
        lines.append("no clean separation: fewer than half of the questions keep their note.")
    if measured.offered is not None:
        lines.append(
            f"--quiet 0.96 would set {measured.offered:.3f} and answer "
            f"{measured.offered_answered:.1%}; the choice is yours."
        )
    typer.echo("\n".join(lines))
