"""`wellkept record`: look at what was said, and forget a session for good."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_core.cli.output import Json, print_json

if TYPE_CHECKING:
    from memory_core.record.exchange import Exchange
    from memory_core.record.sessions import Listed
    from memory_core.store.database import Database

record = typer.Typer(name="record", no_args_is_help=True, help="What was said, session by session.")

Name = Annotated[str, typer.Argument(help="A session's id, or the beginning of one.")]
_TOOL_CHARACTERS = 300  # of a tool's output that a terminal shows


@record.command("sessions")
def list_sessions(
    scope: Annotated[str | None, typer.Option(help="Only this project: a folder or scope.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000)] = 20,
    json: Json = False,
) -> None:
    """List recorded sessions, the latest first."""
    from memory_core.banks.project import scope_named
    from memory_core.record import sessions

    wanted = scope_named(scope) if scope is not None else None
    found = [_session(one) for one in sessions.listed(_database(), scope=wanted, limit=limit)]
    if json:
        return print_json({"sessions": found})
    for one in found:
        ended = f"ended {one['ended_at'][:16]}" if one["ended_at"] else "open"
        removed = f", {one['redactions']} redacted" if one["redactions"] else ""
        typer.echo(
            f"{one['id']}  {one['started_at'][:16]}  {ended}  {one['client']}  {one['scope']}\n"
            f"    {one['exchanges']} exchanges, {one['characters']:,} characters{removed}"
        )
    if not found:
        typer.echo("nothing is recorded yet")
    return None


@record.command()
def show(session: Name, json: Json = False) -> None:
    """Print what was said in a session."""
    from memory_core.record import archive, sessions

    with _database().read() as stored:
        held = sessions.named(stored, session)
        exchanges = archive.exchanges(stored, of=held.id)
        counts = sessions.counts(stored, held.id)
    if json:
        return print_json({
            "session": held.id, "scope": held.scope, "client": held.client, "rows": counts,
            "exchanges": [_exchange(one) for one in exchanges],
        })  # fmt: skip
    for one in exchanges:
        _print(one)
    if not exchanges:
        typer.echo(f"nothing is recorded of {held.id}")
    return None


@record.command("forget-session")
def forget_session(
    session: Name,
    reason: Annotated[str, typer.Option(help="Why; the ledger keeps it.")] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    json: Json = False,
) -> None:
    """Remove every word of a session for good; the ledger notes that it happened."""
    from memory_core import settings
    from memory_core.cli.here import actor
    from memory_core.record import capture, sessions

    database = _database()
    with database.read() as stored:
        name = sessions.named(stored, session).id
    if not yes and not _agreed(name):
        raise typer.Exit(1)
    capture.drain_session(database, settings.load().user, name)  # else it would come back
    number, exchanges = sessions.forget(database, name, actor=actor(), reason=reason)
    if json:
        return print_json({"session": name, "exchanges": exchanges, "entry": number})
    typer.echo(f"forgot {exchanges} exchanges of {name} (ledger entry {number})")
    return None


def _agreed(name: str) -> bool:
    if not sys.stdin.isatty():
        typer.echo("wellkept: this cannot be undone (add --yes)", err=True)
        return False
    return typer.confirm(f"Forget all of {name}? This cannot be undone")


def _database() -> Database:
    from memory_core import settings
    from memory_core.store.database import Database

    return Database(settings.load().resolved_database_url)


def _session(one: Listed) -> dict[str, Any]:
    row = one.session
    return {
        "id": row.id, "client": row.client, "user": row.user, "scope": row.scope,
        "started_at": _iso(row.started_at), "ended_at": row.ended_at and _iso(row.ended_at),
        "reason": row.reason, "transcript": row.transcript, "exchanges": one.exchanges,
        "characters": one.characters, "redactions": one.redactions,
    }  # fmt: skip


def _exchange(one: Exchange) -> dict[str, Any]:
    return {
        "turn": one.turn, "at": one.at.isoformat(), "until": one.until.isoformat(),
        "state": one.state, "position": one.position, "end": one.end,
        "redactions": one.redactions, "left_out": one.left_out,
        "spans": [span.as_json() for span in one.spans],
    }  # fmt: skip


def _print(one: Exchange) -> None:
    from memory_core.text import clean

    state = "" if one.state == "answered" else f" ({one.state})"
    typer.echo(f"── {one.turn}  {one.at.isoformat()[:16]}{state}")
    for span in one.spans:
        if not span.name:
            typer.echo(f"{span.source}: {clean(span.text)}")
            continue
        failed = " (failed)" if span.failed else ""
        typer.echo(f"{span.source} {span.name}: {clean(span.input)}{failed}")
        output = clean(span.output)
        more = f" … [{span.size:,} characters]" if len(output) > _TOOL_CHARACTERS else ""
        for line in (output[:_TOOL_CHARACTERS] + more).splitlines():
            typer.echo(f"    {line}")
    typer.echo("")


def _iso(moment: datetime) -> str:
    from memory_core.store.tables import utc

    return utc(moment).isoformat()
