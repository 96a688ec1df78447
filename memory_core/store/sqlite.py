"""SQLite: one file in WAL mode; a write begins with `BEGIN IMMEDIATE`."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event, make_url
from sqlalchemy.exc import DatabaseError, DBAPIError, OperationalError
from sqlmodel import create_engine

from memory_core.errors import DatabaseBusy, Permanent, SettingsError, WellkeptError

_WRITES = "wellkept_writes"
_REMEDY = "restore the file from a backup, or move it aside to begin anew"


class Sqlite:
    """The dialect of a file on this machine."""

    shared = False

    def __init__(self, url: str, busy: float) -> None:
        file = url.removeprefix("sqlite:///")
        if file and file != ":memory:":
            _make_folder(Path(file).parent)
        self.url, self.busy = url, busy
        self.engine: Engine = create_engine(
            url,
            connect_args={"timeout": busy, "check_same_thread": False},
            json_deserializer=_parsed,
        )
        event.listen(self.engine, "connect", _configure)
        event.listen(self.engine, "begin", _begin)
        self.reading = self.engine
        self.writing = self.migrating = self.engine.execution_options(**{_WRITES: True})

    def turn(self, seconds: float) -> AbstractContextManager[None]:
        """Nothing to wait for here: SQLite's own lock waits."""
        return nullcontext()

    def alone(self, what: str, seconds: float) -> AbstractContextManager[None]:
        """No other host can reach the file."""
        return nullcontext()

    def named(self, error: DBAPIError, seconds: float) -> WellkeptError | None:
        """See `Dialect.named`."""
        if type(error) not in (DatabaseError, OperationalError):
            return None
        reason = str(error.orig)
        if "locked" in reason or "busy" in reason:
            return DatabaseBusy(f"the database stayed locked for {seconds:g} s", remedy="try again")
        if "disk is full" in reason:
            return Permanent(
                "the disk of the database is full; nothing was changed",
                remedy="free some space and try again",
            )
        shown = make_url(self.url).render_as_string(hide_password=True)
        return Permanent(f"database {shown}: {reason}", remedy=_REMEDY)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(
            f"the database's folder {folder} cannot be made: {error.strerror}",
            remedy="set WELLKEPT_HOME or database_url to a folder you may write",
        ) from None


def _parsed(text: str) -> Any:
    return [] if text == "[]" else json.loads(text)  # most references and tags are empty


def _configure(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # SQLAlchemy's begin event opens the transaction
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
