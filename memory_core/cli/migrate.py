"""`wellkept migrate`: from SQLite to PostgreSQL and back, everything under its own number."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from memory_core.cli.output import Json, print_json

migrate = typer.Typer(
    name="migrate", help="Move the database to another kind of server.", no_args_is_help=True
)


@migrate.command("sqlite-to-postgres")
def sqlite_to_postgres(
    url: Annotated[str, typer.Argument(help="postgresql+psycopg://USER@HOST/DATABASE, empty.")],
    file: Annotated[
        Path | None, typer.Option("--from", help="The SQLite file; by default the home's.")
    ] = None,
    json: Json = False,
) -> None:
    """Copy the SQLite database into an empty PostgreSQL one, and check that it is the same.

    Broken off, the same command goes on where it stopped. The file stays as it is.
    """
    from memory_core import paths

    _move(f"sqlite:///{_there(file or paths.database_file())}", url, json)


@migrate.command("postgres-to-sqlite")
def postgres_to_sqlite(
    url: Annotated[str, typer.Argument(help="postgresql+psycopg://USER@HOST/DATABASE.")],
    file: Annotated[
        Path | None, typer.Option("--to", help="The SQLite file; by default the home's.")
    ] = None,
    json: Json = False,
) -> None:
    """Copy a PostgreSQL database into a new SQLite file, and check that it is the same.

    Broken off, the same command goes on where it stopped. The server's stays as it is.
    """
    from memory_core import paths

    target = (file or paths.ensure_home() / paths.database_file().name).expanduser().absolute()
    _move(url, f"sqlite:///{target}", json)


def _there(file: Path) -> Path:
    from memory_core.errors import NotFound

    file = file.expanduser().absolute()
    if not file.is_file():
        raise NotFound(f"there is no database {file}", remedy="name the SQLite file with --from")
    return file


def _move(source: str, target: str, json: bool) -> None:
    from memory_core.errors import BadInput
    from memory_core.exporters.transfer import transfer
    from memory_core.store.database import Database

    if source.startswith("sqlite") == target.startswith("sqlite"):
        raise BadInput(
            "the URL names no PostgreSQL database",
            remedy="write it like postgresql+psycopg://user@host/database",
        )
    done = transfer(Database(source), Database(target), _told(json))
    if json:
        return print_json({
            "counts": done.counts, "sha256": done.hashes, "resumed": done.resumed,
        })  # fmt: skip
    rows = sum(done.counts.values())
    more = ", the rest of an earlier copy" if done.resumed else ""
    typer.echo(f"{rows:,} rows in {len(done.counts)} tables{more}; counts and hashes agree")
    typer.echo("Stop what runs, name the new one in the setting database_url, and start again")
    return None


def _told(json: bool) -> Callable[[str, int], None]:
    def told(name: str, rows: int) -> None:
        if not json:
            typer.echo(f"  {name}: {rows:,} rows", err=True)

    return told
