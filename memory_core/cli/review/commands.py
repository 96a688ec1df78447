"""`wellkept review`: decide on a terminal; `list` and `show` work anywhere."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memory_core.cli.output import Json

if TYPE_CHECKING:
    from memory_core.cli.review.reviewer import Reviewer
    from memory_core.proposals.decision import Decision
    from memory_core.proposals.proposal import Proposal

review = typer.Typer(
    name="review", invoke_without_command=True, help="Decide what the routines propose."
)

Number = Annotated[int, typer.Argument(help="The proposal's number.")]


@review.callback()
def go_through(context: typer.Context) -> None:
    """Go through what waits, one item a screen; a key decides it. Needs a terminal."""
    if context.invoked_subcommand is not None:
        return None
    from memory_core.cli.review import permission

    permission.need_a_person()
    permission.need_a_screen()
    from memory_core.cli.review.interactive import review as sit

    reviewer = _reviewer()
    _print(reviewer.settle())
    if not reviewer.waiting():
        return typer.echo("Nothing waits for a decision.")
    sit(reviewer, typer.echo)
    return None


@review.command("list")
def list_proposals(
    everything: Annotated[bool, typer.Option("--all", help="Also what was decided.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=10_000)] = 50,
    json: Json = False,
) -> None:
    """List what waits for a decision, the oldest first; --all lists the newest first."""
    from memory_core.cli.review import listing
    from memory_core.proposals import queue

    reviewer = _reviewer()
    found = (
        reviewer.looked_back(queue.listed(reviewer.database, limit=limit))
        if everything
        else reviewer.waiting()[:limit]
    )
    if json:
        return typer.echo(listing.as_json({"proposals": [listing.brief(one) for one in found]}))
    for one in found:
        typer.echo(listing.row(one))
    if not found:
        typer.echo("no proposal yet" if everything else "Nothing waits for a decision.")
    return None


@review.command()
def show(number: Number, json: Json = False) -> None:
    """Print a proposal with every difference and its evidence."""
    import shutil

    from memory_core.cli.review import listing, page

    reviewer = _reviewer()
    [proposal] = reviewer.looked_back([reviewer.now(number)])
    if json:
        return typer.echo(listing.as_json(listing.document(proposal)))
    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size((100, 24)).columns if terminal else 100
    lines = listing.whole(proposal, width)
    shown = page.ansi(lines) if terminal else [line.plain.rstrip() for line in lines]
    typer.echo("\n".join(shown))
    return None


@review.command()
def decide(
    number: Number,
    choice: Annotated[str, typer.Argument(help="all, none, reject, or numbers: 1,3-5")],
    never: Annotated[str, typer.Option(help="Numbers never to offer again: 2,6")] = "",
    comment: Annotated[str, typer.Option(help="Stored with the decision.")] = "",
    edit: Annotated[
        list[str] | None, typer.Option(help="NUMBER=FILE: write that text; - reads the terminal.")
    ] = None,
) -> None:
    """Decide a proposal in one line and apply it. Needs a terminal."""
    from memory_core.cli.review import permission

    permission.need_a_person()
    reviewer = _reviewer()
    _print(reviewer.settle())
    proposal = reviewer.now(number)
    decision = _decision(proposal, choice, never, comment, edit or [])
    _print(reviewer.carry_out(number, decision))


def _decision(
    proposal: Proposal, choice: str, never: str, comment: str, edits: list[str]
) -> Decision:
    """The options as a decision; raises `BadInput`."""
    from memory_core.proposals.decision import Choice, Decision, parse_numbers

    numbers = [item.number for item in proposal.numbered]
    words: dict[str, Choice] = {"all": "apply all", "none": "apply none", "reject": "reject run"}
    chosen = () if choice in words else parse_numbers(choice, numbers)
    return Decision(
        words.get(choice, "apply chosen"), chosen=chosen,
        never=parse_numbers(never, numbers) if never else (),
        comment=comment, surface="terminal", edits=dict(map(_edit, edits)),
    )  # fmt: skip


def _edit(option: str) -> tuple[int, str]:
    from memory_core.errors import BadInput

    number, mark, file = option.partition("=")
    if not (number.isascii() and number.isdecimal() and mark and file):
        raise BadInput(f"--edit {option!r} is no NUMBER=FILE", remedy="write it like --edit 2=a.md")
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text("utf-8")
    except OSError as error:
        raise BadInput(f"--edit: {file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadInput(f"--edit: {file} is no UTF-8 text") from None
    return int(number), text


def _print(lines: list[str]) -> None:
    for line in lines:
        typer.echo(line)


def _reviewer() -> Reviewer:
    from memory_core import settings
    from memory_core.cli.review.reviewer import Reviewer

    return Reviewer.of(settings.load())
