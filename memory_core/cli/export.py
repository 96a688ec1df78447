"""`wellkept export FOLDER`: everything in plain files, to leave with or to restore."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memory_core.cli.output import Json, print_json


def export(
    folder: Annotated[Path, typer.Argument(help="A folder that is not there yet, or is empty.")],
    without_record: Annotated[
        bool, typer.Option("--without-record", help="Leave out what was said in sessions.")
    ] = False,
    json: Json = False,
) -> None:
    """Write memories, notes, history, proposals and scores as Markdown and lines of JSON.

    `wellkept import FOLDER` brings them back into an empty home. Settings and keys stay here.
    """
    from memory_core import settings
    from memory_core.exporters import exporting

    folder = folder.expanduser().absolute()
    made = exporting.export(settings.load(), folder, record=not without_record)
    if json:
        return print_json({
            "folder": str(folder), "counts": made.counts, "notes": made.notes,
            "files": len(made.files) + 1, "record": made.record, "schema": made.schema,
        })  # fmt: skip
    counts = made.counts
    typer.echo(f"{folder}: {counts['memory']:,} memories, {made.notes:,} notes, "
               f"{counts['ledger']:,} changes, {counts['proposal']:,} proposals, "
               f"{counts.get('record_session', 0):,} sessions")  # fmt: skip
    if any(name.endswith("/heldout.jsonl") for name in made.files):
        typer.echo("Among the notes are your held-out questions: keep them from whoever tunes.")
    typer.echo("Back into an empty home: wellkept import FOLDER")
    return None
