"""The store migrates itself, serializes writers and names its errors."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text
from sqlmodel import SQLModel, select

from memory_core.errors import DatabaseBusy, DatabaseRefused, SettingsError
from memory_core.store import database as store
from memory_core.store import tables
from memory_core.store.database import Database
from tests import stores


def _calibration(floor: float = 0.0) -> tables.Calibration:
    return tables.Calibration(
        at=tables.now(), judge="j", vault="v", floor=floor, clearance=0.0, answered=1.0,
        quiet=1.0, separated=True, questions="general", detail={},
    )  # fmt: skip


def test_migrations_build_exactly_the_declared_tables(database: Database) -> None:
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, SQLModel.metadata) == []


def test_an_error_inside_a_write_leaves_nothing(database: Database) -> None:
    with pytest.raises(RuntimeError), database.write() as session:
        session.add(_calibration())
        raise RuntimeError
    with database.read() as session:
        assert session.exec(select(tables.Calibration)).all() == []


def test_concurrent_writers_queue_and_lose_nothing(database: Database) -> None:
    def add_twenty() -> None:
        for _ in range(20):
            with database.write() as session:
                session.add(_calibration())

    threads = [threading.Thread(target=add_twenty) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as session:
        assert len(session.exec(select(tables.Calibration)).all()) == 80


def test_a_lock_held_too_long_is_a_transient_error(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "BUSY_SECONDS", 0.1)
    database = Database(stores.configured())
    with database.write(), pytest.raises(DatabaseBusy):
        with database.write():
            pass
    database.close()


def test_a_database_of_a_newer_version_is_refused_with_the_reason(database: Database) -> None:
    with database.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9876'"))
    with pytest.raises(DatabaseRefused, match=r"schema 9876.*knows up to \d{4}.*update Wellkept"):
        Database(database.url)


@pytest.mark.parametrize(
    ("url", "told"),
    [("mysql://u:swordfish@h/d", "names mysql"), ("no url", "is no database URL"),
     ("sqlite+nothing:///x", "database_url")],
)  # fmt: skip
def test_a_url_that_cannot_be_used_is_named(url: str, told: str) -> None:
    with pytest.raises(SettingsError, match=told) as raised:
        Database(url)
    assert "swordfish" not in str(raised.value)


def test_two_processes_may_open_a_new_database_at_once(home: Path) -> None:
    url = stores.unmade(home / "new.sqlite")
    failures: list[BaseException] = []

    def open_it() -> None:
        try:
            Database(url).close()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=open_it) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
