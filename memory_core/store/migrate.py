"""Bring a database to the newest schema with Alembic; safe when two processes start at once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from memory_core.errors import DatabaseRefused
from memory_core.store.dialect import Dialect

FOLDER = Path(__file__).parent / "migrations"


def upgrade(dialect: Dialect) -> None:
    """Run the migrations that this database has not seen, in one transaction.

    Raises `DatabaseRefused` for a schema that only a newer version knows.
    """
    with dialect.reading.connect() as connection:
        if _is_newest(connection):
            return
    with dialect.migrating.begin() as connection:
        if not _is_newest(connection):  # nobody else did it while we waited
            _run(connection)


def newest() -> str:
    """The revision is the file's number: `0003_record.py` is `0003`."""
    return max(_revisions())


@cache
def _revisions() -> frozenset[str]:
    return frozenset(file.name.split("_")[0] for file in (FOLDER / "versions").glob("[0-9]*.py"))


def _is_newest(connection: Connection) -> bool:
    held = _current(connection)
    if held is not None and held not in _revisions():
        raise DatabaseRefused(
            f"the database has schema {held}, this version of Wellkept knows up to {newest()}",
            remedy="update Wellkept here, and restart what runs of it",
        )
    return held == newest()


def _current(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _run(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
