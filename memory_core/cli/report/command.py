"""`report`: everything that `status` says, with its history, as one page to look at or to send."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the page goes.")],
) -> None:
    """Write one self-contained HTML page: scores, clearance and latencies over time, what waits."""
    from memory_core.cli.report import gathered, page, writing

    file = output.expanduser().absolute()
    writing.check(file)
    writing.write(file, page.render(gathered.now()))
    typer.echo(f"written: {file}")
