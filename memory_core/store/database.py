"""One engine and two kinds of transaction: `read` and `write`.

A write takes SQLite's write lock when it begins, so two processes queue instead of
failing half-way. A database that stays locked raises `DatabaseBusy`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event, make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, OperationalError
from sqlmodel import Session, create_engine

from memory_core.errors import DatabaseBusy, Permanent, SettingsError

BUSY_SECONDS = 10
_WRITES = "wellkept_writes"
_REMEDY = "restore the file from a backup, or move it aside to begin anew"


class Database:
    """The store behind a SQLAlchemy URL; migrated to the newest schema when opened."""

    def __init__(self, url: str, *, migrate: bool = True) -> None:
        self.url = url
        self.engine = _engine(url)
        self._writer = self.engine.execution_options(**{_WRITES: True})
        if migrate:
            from memory_core.store.migrate import upgrade

            with _named_errors(url):
                upgrade(self.engine)

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session for reading; nothing is committed."""
        with Session(self.engine) as session, _named_errors(self.url):
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A session in one transaction: committed at the end, rolled back on an error.

        Raises `DatabaseBusy` when the lock is not had within `BUSY_SECONDS`.
        """
        with Session(self._writer, expire_on_commit=False) as session, _named_errors(self.url):
            with session.begin():
                session.connection()  # take the lock now, not at the first statement
                yield session

    def close(self) -> None:
        """Release the connections."""
        self.engine.dispose()


def _engine(url: str) -> Engine:
    if not url.startswith("sqlite"):
        return _other_engine(url)
    file = url.removeprefix("sqlite:///")
    if file and file != ":memory:":
        _make_folder(Path(file).parent)
    engine = create_engine(
        url,
        connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False},
        json_deserializer=lambda text: [] if text == "[]" else json.loads(text),  # most are empty
    )
    event.listen(engine, "connect", _configure_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _other_engine(url: str) -> Engine:
    try:
        return create_engine(url, pool_pre_ping=True)
    except ModuleNotFoundError as error:
        raise SettingsError(
            f"database_url needs the Python package {error.name}",
            remedy=f"pip install {error.name}",
        ) from None
    except ArgumentError:
        raise SettingsError(
            "database_url is no database URL", remedy="write it like sqlite:////folder/file.sqlite"
        ) from None


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(
            f"the database's folder {folder} cannot be made: {error.strerror}",
            remedy="set WELLKEPT_HOME or database_url to a folder you may write",
        ) from None


def _configure_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # SQLAlchemy's begin event opens the transaction
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def _named_errors(url: str) -> Iterator[None]:
    try:
        yield
    except DatabaseError as error:
        if type(error) not in (DatabaseError, OperationalError):
            raise  # what a statement did wrong is no fault of the database
        reason = str(error.orig)
        if "locked" in reason or "busy" in reason:
            raise DatabaseBusy(
                f"the database stayed locked for {BUSY_SECONDS} s", remedy="try again"
            ) from error
        if "disk is full" in reason:
            raise Permanent(
                "the disk of the database is full; nothing was changed",
                remedy="free some space and try again",
            ) from error
        shown = make_url(url).render_as_string(hide_password=True)
        raise Permanent(f"database {shown}: {reason}", remedy=_REMEDY) from error
