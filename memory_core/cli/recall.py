"""`wellkept recall`: ask the memory a question, and see how the answer came to be."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from memory_core.cli.output import Json, print_json

PATIENCE_S = 30.0


def recall(
    request: Annotated[str, typer.Argument(help="The request; - reads standard input.")],
    explain: Annotated[bool, typer.Option("--explain", help="Show legs, pool and floor.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=10, help="Notes at most.")] = 3,
    json: Json = False,
) -> None:
    """Show the best notes for a request, as the front hook would find them."""
    answer = _ask(sys.stdin.read() if request == "-" else request, explain=explain, limit=limit)
    if json:
        print_json(answer)
    else:
        _show(answer, explain=explain)
    if answer["status"] == "unavailable":
        raise typer.Exit(1)


def _ask(request: str, *, explain: bool, limit: int) -> dict[str, Any]:
    from memory_core.errors import WellkeptError
    from memory_core.server import protocol
    from memory_core.server.client import Client

    body = {"query": request, "cwd": str(Path.cwd()), "explain": explain, "limit": limit}
    body["deadline_ms"] = int(PATIENCE_S * 1000)
    try:
        return Client(PATIENCE_S).call(protocol.RECALL, body)
    except WellkeptError as error:
        return {"status": "unavailable", "reason": str(error), "notes": []}


def _show(answer: dict[str, Any], *, explain: bool) -> None:
    from rich.console import Console
    from rich.markup import escape

    console = Console(highlight=False)
    if answer["status"] == "unavailable":
        console.print(f"Recall unavailable: {escape(answer['reason'])}", style="red")
        return
    if explain:
        _show_pool(console, answer)
    if answer["status"] == "nothing":
        console.print("No note is relevant to this request.")
    for note in answer["notes"]:
        updated = f", updated {note['updated']}" if note["updated"] else ""
        console.print(
            f"\n[bold]{escape(note['source'])}[/] [dim]score {note['score']:.2f}{updated}[/]"
        )
        console.print(escape(note["description"]), style="italic")
        console.print(escape(note["text"]))
    if answer.get("reason"):
        console.print(f"\n({escape(answer['reason'])})", style="yellow")


def _show_pool(console: Any, answer: dict[str, Any]) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table(
        title="Pool, best first; ranks are of the dense and the word leg",
        title_justify="left",
        box=None,
        pad_edge=False,
    )
    for name in ("score", "logit", "cosine", "BM25", "ranks"):
        table.add_column(name, justify="right", no_wrap=True, min_width=5)
    table.add_column("passage", no_wrap=True, overflow="ellipsis", ratio=1)
    floor = answer.get("floor")
    for row in answer.get("pool", []):
        if floor is not None and row["score"] < floor:
            table.add_row(f"{floor:.2f}", *[""] * 4, "----- floor -----", style="yellow")
            floor = None
        table.add_row(
            f"{row['score']:.2f}",
            f"{row['logit']:.2f}",
            f"{row['cosine']:.3f}",
            f"{row['words']:.1f}",
            f"{row['meaning_rank'] or '-'}/{row['words_rank'] or '-'}",
            escape(f"{row['source']}: {' '.join(row['passage'].split())}"),
        )
    if answer.get("condensed"):
        console.print(f"Read as: {escape(answer['condensed'])}", style="dim")
    console.print(table)
    stages = ", ".join(f"{name} {ms:.0f}" for name, ms in answer.get("stages", {}).items())
    console.print(f"Milliseconds: {stages}", style="dim")
