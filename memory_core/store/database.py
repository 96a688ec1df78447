"""One engine and two kinds of transaction: `read` and `write`.

A read sees one state, however many statements it takes. Writes happen one after the other,
on SQLite and on PostgreSQL alike: each takes the database's one write lock when it begins,
so what it reads stays true until it commits, and two writers queue instead of failing
half-way. A database that stays locked raises `DatabaseBusy`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlmodel import Session

from memory_core.errors import DatabaseBusy, SettingsError
from memory_core.store.dialect import Dialect

BUSY_SECONDS = 10.0


class Database:
    """The store behind a SQLAlchemy URL; migrated to the newest schema when opened.

    Raises `SettingsError` for a URL that cannot be used, `DatabaseRefused` where the server
    refuses the login or the schema is a newer version's, and `DatabaseUnavailable` where it
    does not answer.
    """

    def __init__(self, url: str, *, migrate: bool = True) -> None:
        self.url = url
        self._dialect = _dialect(url, BUSY_SECONDS)
        self.engine = self._dialect.engine
        if migrate:
            from memory_core.store.migrate import upgrade

            with self._named_errors():
                upgrade(self._dialect)

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session for reading; nothing is committed."""
        with Session(self._dialect.reading) as session, self._named_errors():
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A session in one transaction: committed at the end, rolled back on an error.

        Raises `DatabaseBusy` when the lock is not had within `BUSY_SECONDS`, three times that
        where writers are served in the order in which they came.
        """
        with self._dialect.turn(self._dialect.busy):
            with Session(self._dialect.writing, expire_on_commit=False) as session:
                with self._named_errors(), session.begin():
                    session.connection()  # take the lock now, not at the first statement
                    yield session

    @contextmanager
    def alone(self, what: str, seconds: float) -> Iterator[None]:
        """Keep whoever else asks for `what` on another host waiting; nothing on SQLite.

        Raises `DatabaseBusy` when it is not had within `seconds`.
        """
        with self._named_errors(seconds), self._dialect.alone(what, seconds):
            yield

    @property
    def shared(self) -> bool:
        """Whether other hosts, with vaults of their own, may use it too."""
        return self._dialect.shared

    def close(self) -> None:
        """Release the connections."""
        self.engine.dispose()

    @contextmanager
    def _named_errors(self, seconds: float | None = None) -> Iterator[None]:
        """Errors of the database's own as errors of the tree; a wrong statement stays itself."""
        waited = self._dialect.busy if seconds is None else seconds
        try:
            yield
        except DBAPIError as error:
            named = self._dialect.named(error, waited)
            if named is None:
                raise
            raise named from error
        except PoolTimeout as error:
            raise DatabaseBusy(
                f"every connection to the database was in use for {waited:g} s",
                remedy="try again",
            ) from error


def _dialect(url: str, busy: float) -> Dialect:
    """The dialect of a URL.

    Raises `SettingsError`.
    """
    try:
        parsed = make_url(url)
        kind = parsed.get_backend_name()
        if kind == "sqlite":
            from memory_core.store.sqlite import Sqlite

            return Sqlite(url, busy)
        if kind in ("postgresql", "postgres"):
            from memory_core.store.postgres import Postgres

            return Postgres(parsed, busy)
    except (ArgumentError, ValueError):
        raise SettingsError(
            "database_url is no database URL", remedy="write it like sqlite:////folder/file.sqlite"
        ) from None
    raise SettingsError(
        f"database_url names {kind}, which Wellkept does not know",
        remedy="use sqlite:////folder/file.sqlite or postgresql+psycopg://user@host/database",
    )
