"""Commands on the ledger: what changed memories and notes, and taking it back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_core.cli.here import actor
from memory_core.cli.output import Json, print_json

if TYPE_CHECKING:
    from memory_core.banks.writer import By
    from memory_core.settings import Settings
    from memory_core.store.database import Database


def history(
    target: Annotated[str | None, typer.Argument(help="A memory's id, a note's file.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000)] = 20,
    before: Annotated[int | None, typer.Option(help="Only entries below this number.")] = None,
    json: Json = False,
) -> None:
    """List every change to memories and notes, newest first."""
    from memory_core import settings
    from memory_core.proposals.records import KINDS, changed_lines
    from memory_core.store import ledger
    from memory_core.store.database import Database
    from memory_core.store.tables import utc

    with Database(settings.load().resolved_database_url).read() as session:
        rows = ledger.entries(session, target=target, limit=limit, before=before)
        listed = [{**row.model_dump(), "at": utc(row.at).isoformat()} for row in rows]
        lines = [changed_lines(row) if row.kind in KINDS else [] for row in rows]
    if json:
        return print_json({"entries": listed})
    for entry, changed in zip(listed, lines, strict=True):
        _print_entry(entry, changed)
    if not listed:
        typer.echo("the ledger is empty" if target is None else f"nothing changed {target}")
    return None


def undo(
    number: Annotated[int, typer.Argument(help="The entry's number in `history`.")],
    json: Json = False,
) -> None:
    """Reverse a change of a memory or a note; that is a change too, and can be undone."""
    from memory_core import settings
    from memory_core.banks.writer import By
    from memory_core.proposals.records import KINDS
    from memory_core.store import ledger
    from memory_core.store.database import Database

    chosen = settings.load()
    database = Database(chosen.resolved_database_url)
    by = By(actor(), f"undo {number}")
    with database.read() as session:
        entry = ledger.entry(session, number)
    answer = (_undo_note if entry.kind in KINDS else _undo_memory)(database, chosen, number, by)
    if json:
        return print_json({**answer, "undoes": number})
    of = f" of proposal {entry.proposal}" if entry.proposal else ""
    typer.echo(f"took back entry {number}{of}, {entry.action} {answer['target']}: {answer['told']}")
    typer.echo(f"  that is entry {answer['number']}: wellkept undo {answer['number']} reverses it")
    for notice in answer.get("notices", ()):
        typer.echo(f"  {notice}")
    return None


def _undo_memory(database: Database, chosen: Settings, number: int, by: By) -> dict[str, Any]:
    from memory_core.banks.toolbox import shown
    from memory_core.proposals.unmerge import undo as undo_memory

    written, *merged = undo_memory(database, chosen, number, by)
    memory = written.after or written.before
    assert memory is not None
    back = [str(one.after.id) for one in merged if one.after]
    several = f", and {len(back)} more" if back else ""
    return {
        "told": f"{'1 memory is as it was' if written.after else '1 memory is gone'}{several}",
        "action": written.action, "number": written.number, "target": memory.id,
        "memory": shown(written.after) if written.after else None, "back": back,
        "notices": [f"{name} is back too" for name in back],
    }  # fmt: skip


def _undo_note(database: Database, chosen: Settings, number: int, by: By) -> dict[str, Any]:
    from memory_core.errors import SettingsError
    from memory_core.proposals.undo import undo as undo_note

    if chosen.vault is None:
        raise SettingsError("no vault is set", remedy="wellkept init FOLDER names one")
    done = undo_note(database, chosen.vault, chosen, number, by)
    return {
        "action": done.action, "number": done.number, "target": ", ".join(done.files),
        "files": done.files, "commit": done.commit, "notices": done.notices,
        "told": f"{_counted(done.back, 'line')} back, {_counted(done.gone, 'line')} gone",
    }  # fmt: skip


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _print_entry(entry: dict[str, Any], changed: list[str]) -> None:
    undoes = f", undoes {entry['undoes']}" if entry["undoes"] else ""
    reason = str(entry["reason"])
    proposal = f"proposal {entry['proposal']}"
    if entry["proposal"] and not reason.startswith(proposal):
        reason = f"{proposal}: {reason}"
    who = f"{entry['actor']}: {reason}{undoes}"
    typer.echo(f"{entry['id']}  {entry['at'][:19]}  {entry['action']} {entry['target']}  ({who})")
    for name in ("before", "after"):
        if text := (entry[name] or {}).get("description"):
            typer.echo(f"    {name}: {text}")
    for line in changed:
        typer.echo(f"    {line}")
