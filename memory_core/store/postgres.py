"""PostgreSQL: the same two kinds of transaction over a server that many hosts share.

A write begins by taking one advisory lock, which goes with its transaction: writers of all
hosts queue on it in the order they came, so that no two of them deadlock, none has to be
repeated, and ledger numbers are in the order of their commits. The same round trip checks
that the schema is the one this version writes. A read is one snapshot. Moments come back
in UTC, and text is sorted by code point, as SQLite does both.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec
from typing import Any
from zlib import crc32

from sqlalchemy import URL, Connection, Engine, event
from sqlalchemy.exc import DBAPIError
from sqlmodel import create_engine

from memory_core.errors import SettingsError, WellkeptError
from memory_core.store import migrate, postgres_faults
from memory_core.store.turns import Turns

PATIENCE = 3  # times as long a wait as SQLite's: the queue is fair, and as long as the team
WRITERS = 4  # connections of a process that write or wait for the lock
CONNECTIONS = 25  # of a process, at most
IDLE_SECONDS = 60  # after which a writer that says nothing more loses its lock
MIGRATION_SECONDS = 120.0  # how long one migration waits for another
LOCK = 0x77656C6B << 32  # of writers; `alone` adds the name of what is locked
_KIND = "wellkept_transaction"
_SESSION = (
    "SET TIME ZONE 'UTC'; SET tcp_keepalives_idle = 30;"  # a host that vanished is found
    " SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3"
)
_CONNECT = {
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "application_name": "wellkept",
}


class Postgres:
    """The dialect of a server; `url` may leave the driver out."""

    shared = True

    def __init__(self, url: URL, busy: float) -> None:
        if find_spec("psycopg") is None:
            raise SettingsError(
                "database_url needs the Python package psycopg",
                remedy="pip install 'wellkept[postgres]'",
            )
        self.url = url.set(drivername="postgresql+psycopg")
        self.engine: Engine = create_engine(
            self.url,
            connect_args={n: v for n, v in _CONNECT.items() if n not in url.query},
            pool_size=WRITERS,
            max_overflow=CONNECTIONS - WRITERS,
            pool_timeout=busy,
            pool_pre_ping=True,
            pool_use_lifo=True,
            hide_parameters=True,
        )
        self._turns = Turns(WRITERS)
        self.busy = PATIENCE * busy
        event.listen(self.engine, "connect", _configure)
        event.listen(self.engine, "begin", self._begin)
        self.reading = self.engine.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
        self.writing = self.engine.execution_options(**{_KIND: "write"})
        self.migrating = self.engine.execution_options(**{_KIND: "migrate"})

    def turn(self, seconds: float) -> AbstractContextManager[None]:
        """Few connections of a process wait for the lock; its other writers wait for them."""
        return self._turns.one(seconds)

    @contextmanager
    def alone(self, what: str, seconds: float) -> Iterator[None]:
        """A lock of a session of its own; it goes when the process or its host does."""
        number = LOCK | crc32(what.encode())
        own = self.engine.execution_options(isolation_level="AUTOCOMMIT")
        with own.connect() as connection:
            try:
                connection.exec_driver_sql(f"SET lock_timeout = {_milliseconds(seconds)}")
                connection.exec_driver_sql(f"SELECT pg_advisory_lock({number})")
                yield
            finally:
                connection.invalidate()  # the lock ends with its session

    def named(self, error: DBAPIError, seconds: float) -> WellkeptError | None:
        """See `Dialect.named`."""
        return postgres_faults.named(error, self.url, seconds)

    def _begin(self, connection: Connection) -> None:
        kind = connection.get_execution_options().get(_KIND)
        if kind == "write":
            connection.exec_driver_sql(_begun(self.busy) + _checked(migrate.newest()))
        elif kind == "migrate":
            connection.exec_driver_sql(_begun(MIGRATION_SECONDS))


def _begun(seconds: float) -> str:
    """Statements that take the write lock; each has a snapshot of its own."""
    return (
        f"SET LOCAL lock_timeout = {_milliseconds(seconds)};"
        f" SET LOCAL idle_in_transaction_session_timeout = '{IDLE_SECONDS}s';"
        f" SELECT pg_advisory_xact_lock({LOCK});"
    )


def _checked(revision: str) -> str:
    """A statement that fails where another version has changed the schema meanwhile."""
    return (
        "DO $$ DECLARE held text := (SELECT version_num FROM alembic_version); BEGIN"
        f" IF held <> '{revision}' THEN RAISE EXCEPTION USING"
        f" ERRCODE = '{postgres_faults.OTHER_SCHEMA}', MESSAGE = held; END IF; END $$"
    )


def _milliseconds(seconds: float) -> int:
    return max(1, round(seconds * 1000))  # 0 would mean for ever


def _configure(connection: Any, _record: Any) -> None:
    connection.autocommit = True
    connection.execute(_SESSION)
    connection.autocommit = False
