"""Where a test's database is: a file of its own, or a database of its own on a server.

With `WELLKEPT_TEST_DATABASE=postgres` (see `python -m tests.postgres`) every test gets an
empty database of the server that `WELLKEPT_TEST_POSTGRES` names. Databases are kept and
emptied from test to test, which is faster than making them.
"""

from __future__ import annotations

import itertools
import os
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import make_url

ON_POSTGRES = os.environ.get("WELLKEPT_TEST_DATABASE") == "postgres"
_SERVER = os.environ.get("WELLKEPT_TEST_POSTGRES", "")
_KEPT = "database-url"
_BEGINS = {"counter": "INSERT INTO counter VALUES ('record', 0)"}  # what a new database holds

sqlite_only = pytest.mark.skipif(ON_POSTGRES, reason="it is about SQLite's file")
postgres_only = pytest.mark.skipif(not ON_POSTGRES, reason="it is about a PostgreSQL server")


def fresh(file: Path) -> str:
    """The URL of an empty database: that file, or one of the server's."""
    return _pool().take() if ON_POSTGRES else f"sqlite:///{file}"


def unmade(file: Path, options: str = "") -> str:
    """The URL of a database without a table: no file yet, or one that was just created."""
    return _pool().created(options) if ON_POSTGRES else f"sqlite:///{file}"


def configured() -> str:
    """The URL of the test's own database, as every process that it starts finds it too."""
    from memory_core import settings

    return settings.load().resolved_database_url


def of(home: Path) -> str:
    """The URL of the database that belongs to a state folder of several tests."""
    if not ON_POSTGRES:
        return f"sqlite:///{home / 'wellkept.sqlite'}"
    kept = home / _KEPT
    if not kept.exists():
        kept.write_text(_pool().kept())
    return kept.read_text()


def copy(folder: Path, to: Path) -> None:
    """Copy a folder with the state folders in it and their databases, which nobody may hold."""
    shutil.copytree(folder, to)
    for kept in to.rglob(_KEPT):
        kept.write_text(_pool().copied(kept.read_text()))


def give_back(*urls: str) -> None:
    """Empty databases and lend them again: these, or all that the test has taken."""
    if ON_POSTGRES:
        _pool().give_back(urls)


@cache
def _pool() -> _Pool:
    return _Pool(_SERVER, f"test_{os.getpid()}")


class _Pool:
    """Migrated databases of one test process, by URL."""

    def __init__(self, server: str, prefix: str) -> None:
        self._server, self._prefix = make_url(server), prefix
        self._names = (f"{prefix}_{number}" for number in itertools.count())
        self._free: list[str] = []
        self._lent: list[str] = []

    def take(self) -> str:
        name = self._free.pop() if self._free else self._made()
        self._lent.append(name)
        return self._url(name)

    def give_back(self, urls: tuple[str, ...]) -> None:
        for name in [str(make_url(url).database) for url in urls] or list(self._lent):
            self._run(name, _emptying(name))
            self._lent.remove(name)
            self._free.append(name)

    def created(self, options: str = "") -> str:
        """A database without a table, never given back."""
        name = next(self._names)
        self._run("postgres", f'CREATE DATABASE "{name}" {options}')
        return self._url(name)

    def kept(self) -> str:
        """A database that is never given back."""
        return self._url(self._made())

    def copied(self, url: str) -> str:
        """A database that holds what that one does."""
        name = next(self._names)
        self._run("postgres", f'CREATE DATABASE "{name}" TEMPLATE "{make_url(url).database}"')
        return self._url(name)

    def _made(self) -> str:
        from memory_core.store.database import Database

        url = self.created()
        Database(url).close()
        return str(make_url(url).database)

    def _url(self, name: str) -> str:
        return self._server.set(database=name).render_as_string(hide_password=False)

    def _run(self, name: str, statements: str) -> None:
        import psycopg

        values: dict[str, Any] = {**self._server.query, "user": self._server.username}
        with psycopg.connect(**values, dbname=name, autocommit=True) as connection:
            connection.execute(statements)


def _emptying(name: str) -> str:
    """Statements that leave a database as it was when it was new; other sessions end."""
    from sqlmodel import SQLModel

    from memory_core.store import migrate, tables

    assert tables.LedgerRow.__tablename__ in SQLModel.metadata.tables
    found = [
        f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
        " AND pid <> pg_backend_pid()",
        "SET session_replication_role = replica",  # the ledger's triggers refuse otherwise
        *(f'DELETE FROM "{table}"' for table in SQLModel.metadata.tables),
        *_BEGINS.values(),
        "DROP TABLE IF EXISTS derived_vector",
        "SELECT setval(oid, 1, false) FROM pg_class WHERE relkind = 'S'",
        f"UPDATE alembic_version SET version_num = '{migrate.newest()}'",
    ]
    return "; ".join(found)
