"""`wellkept import PATH`: what other tools remembered becomes a proposal; nothing is written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_core.cli.here import Scope, User
from memory_core.cli.output import Json, print_json

if TYPE_CHECKING:
    from memory_core.importers.importing import Import
    from memory_core.settings import Settings


def import_(
    path: Annotated[Path, typer.Argument(help="A file, a folder, or an archive.")],
    kind: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="instructions, notes, vault, mem0, chatgpt, claude, wellkept; unset = found out.",
        ),
    ] = None,
    of: Annotated[str, typer.Option(help="The user_id to take, where mem0 has several.")] = "",
    user: User = None,
    scope: Scope = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be offered, store nothing.")
    ] = False,
    json: Json = False,
) -> None:
    """Offer what CLAUDE.md, memory folders or other tools' exports say, to be reviewed.

    A vault of another tool is used in place, and an export of Wellkept is restored.
    """
    from memory_core import settings
    from memory_core.importers import kinds

    source, chosen = path.expanduser().absolute(), settings.load()
    found = kinds.check_kind(kind) if kind else kinds.kind_of(source)
    if found == kinds.EXPORT:
        return _restore(source, chosen, dry_run, json)
    if found == kinds.VAULT:
        return _point_to_init(source, chosen, json)
    return _offer(source, found, chosen, of, user, scope, dry_run, json)


def _offer(
    source: Path,
    kind: str,
    chosen: Settings,
    whose: str,
    user: str | None,
    scope: str | None,
    dry: bool,
    json: bool,
) -> None:
    from memory_core.errors import SettingsError
    from memory_core.importers import importing
    from memory_core.store.database import Database
    from memory_core.vault.vault import Vault

    if chosen.vault is None:
        raise SettingsError("no vault is set", remedy="run: wellkept init FOLDER")
    vault = Vault(chosen.vault, chosen.always_loaded)
    whom = chosen.user if user is None else user
    found = importing.offer(
        Database(chosen.resolved_database_url), vault, chosen, source, kind,
        user=whom, scope=_scope(source, kind, scope), whose=whose, dry=dry,
    )  # fmt: skip
    return print_json(_document(found)) if json else _print(found)


def _scope(source: Path, kind: str, named: str | None) -> str:
    """The project that a source is about; "" for what holds everywhere."""
    from memory_core.banks.project import scope_named, scope_of
    from memory_core.importers import instructions, notes

    if named is not None:
        return scope_named(named) if named else ""
    folder = (source if source.is_dir() else source.parent).resolve()
    if kind == instructions.KIND:
        return "" if instructions.everywhere(folder) else scope_of(folder)
    if kind == notes.KIND and (project := notes.project_of(folder)):
        return scope_of(project)
    return ""


def _point_to_init(source: Path, chosen: Settings, json: bool) -> None:
    """A folder of notes needs no import: it is the vault, where it is."""
    from memory_core.errors import BadInput
    from memory_core.importers import kinds
    from memory_core.vault.vault import Vault

    if not source.is_dir():
        raise BadInput(f"{source} is no folder", remedy="a vault is a folder of notes")
    held, notes = chosen.vault == source.resolve(), len(Vault(source).scan().notes)
    what = kinds.flavour(source)
    if json:
        return print_json({
            "kind": kinds.VAULT, "source": str(source), "what": what, "notes": notes,
            "in_use": held, "proposal": None,
        })  # fmt: skip
    typer.echo(f"{source} is {what} with {notes} notes. Nothing was changed.")
    if held:
        return typer.echo("It is your vault already.")
    typer.echo(f'It serves as the vault where it is: wellkept init "{source}"')
    if chosen.vault:
        typer.echo(f"Now the vault is {chosen.vault}; init makes it this one instead.")
        typer.echo(f'To take its notes over into that one: wellkept import --from notes "{source}"')
    return None


def _restore(source: Path, chosen: Settings, dry: bool, json: bool) -> None:
    from memory_core.exporters import restoring

    done = restoring.restore(source, chosen, dry=dry)
    if json:
        return print_json({"kind": "wellkept", "source": str(source), **done.as_json()})
    verb = "would be restored" if dry else "restored"
    typer.echo(f"{done.rows:,} rows and {done.notes:,} notes {verb}; vault {done.vault}")
    return None if dry else typer.echo("Next: wellkept up --detach")


def _document(found: Import) -> dict[str, Any]:
    from memory_core.cli.review.listing import document

    offered = document(found.proposal) if found.waits else None
    return {
        "kind": found.kind, "source": found.source, "statements": found.pieces,
        "new": len(found.found.items), "known": found.found.known,
        "left_out": [{"text": text, "reason": why} for text, why in found.found.left_out],
        "secrets": dict(found.found.secrets), "notices": list(found.notices),
        "stored": found.waits and not found.dry, "proposal": offered,
    }  # fmt: skip


def _print(found: Import) -> None:
    from memory_core.cli.review.told import counted, line
    from memory_core.proposals import render

    typer.echo(f"{counted(found.pieces, 'statement')} in {line(found.source)} ({found.kind})")
    for notice in found.proposal.notices:
        typer.echo(f"  {line(notice)}")
    offered = found.proposal
    numbered = offered.numbered
    if not found.waits:
        for item in numbered:
            typer.echo(f"  {render.one_line(item)}")
        return typer.echo("Nothing new to decide.")
    for item in numbered:
        typer.echo(f"  {render.one_line(item)}")
    rest = sum(not item.number for item in offered.items)
    more = f"; {rest} more come first when it is imported again" if rest else ""
    if found.dry:
        return typer.echo(f"{counted(len(numbered), 'change')} would be offered{more}.")
    waits = f"Proposal {offered.id} offers {counted(len(numbered), 'change')}{more}."
    return typer.echo(f"{waits} Decide: wellkept review")
