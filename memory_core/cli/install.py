"""`wellkept install CLIENT` and `wellkept uninstall CLIENT`: shown first, then done, or undone."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_core.installers.install import Plan

Name = Annotated[
    str, typer.Argument(metavar="CLIENT", help="claude-code, codex, gemini or opencode.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would change, change nothing.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
ByPlugin = Annotated[
    bool,
    typer.Option("--plugin", help="Let the client itself install the plugin that we ship."),
]


def install(
    client: Name, dry_run: DryRun = False, yes: Yes = False, plugin: ByPlugin = False
) -> None:
    """Put hooks and memory tools into an agent's own settings."""
    from memory_core.installers import install as by_hand
    from memory_core.installers import plugin as by_client
    from memory_core.installers.client import client as named

    chosen = named(client)
    if plugin:
        return by_client.install(chosen, _sources(), _agreed(dry_run, yes), typer.echo)
    by_client.refuse_if_active(chosen)
    plan = by_hand.install(chosen, _sources())
    if not _done(plan, dry_run, yes):
        return None
    typer.echo(f"{chosen.title} has wellkept now. {chosen.next_step}")
    if not chosen.where:
        typer.echo(f"({chosen.program} itself was not found; its settings wait for it.)")
    typer.echo(f"Check it: wellkept doctor. Take it out: wellkept uninstall {client}")
    return None


def uninstall(client: Name, dry_run: DryRun = False, yes: Yes = False) -> None:
    """Take out of an agent's settings what `install` put in; memories and notes stay."""
    from memory_core.installers import install as by_hand
    from memory_core.installers import manifest
    from memory_core.installers import plugin as by_client
    from memory_core.installers.client import client as named

    chosen = named(client)
    held = manifest.load(chosen.name)
    by_plugin = held is not None and held.how == "plugin"
    if by_plugin or by_client.is_active(chosen):
        by_client.uninstall(chosen, _agreed(dry_run, yes), typer.echo)
        if by_plugin or not by_client.in_files(chosen, _sources()):
            return
    if _done(by_hand.uninstall(chosen, _sources()), dry_run, yes):
        typer.echo(f"{chosen.title} is without wellkept again.")


def _done(plan: Plan, dry_run: bool, yes: bool) -> bool:
    """Show the plan, ask, do it; whether it was done."""
    if plan.is_empty:
        typer.echo("Nothing to change.")
        return False
    typer.echo(plan.diff().rstrip("\n"))
    if dry_run:
        typer.echo("\nNothing was changed (--dry-run).")
        return False
    _ask(yes)
    plan.apply()
    return True


def _agreed(dry_run: bool, yes: bool) -> Callable[[], bool]:
    """A question to ask before anything is done: whether it may be."""

    def ask() -> bool:
        if dry_run:
            typer.echo("\nNothing was changed (--dry-run).")
            return False
        _ask(yes)
        return True

    return ask


def _ask(yes: bool) -> None:
    from memory_core.errors import BadInput

    if yes:
        return
    if not sys.stdin.isatty():
        raise BadInput("nobody can be asked here", remedy="--yes does it without a question")
    typer.confirm("\nDo this?", abort=True)


def _sources() -> Path:
    """What we ship for clients."""
    from deployments.clients import folder

    return folder()
