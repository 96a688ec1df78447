"""On PostgreSQL the same guarantees hold, and what the server refuses has a name and a remedy."""

from __future__ import annotations

import threading
from datetime import UTC, timedelta
from pathlib import Path

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col, select

from memory_core.errors import (
    BadInput,
    DatabaseBusy,
    DatabaseRefused,
    DatabaseUnavailable,
)
from memory_core.store import ledger
from memory_core.store.database import Database
from memory_core.store.tables import LedgerRow, OutboxRow, now
from tests import stores

pytestmark = stores.postgres_only


def change(session: Session, target: str) -> int:
    return ledger.append(
        session, kind="memory", target=target, action="add", actor="a", reason="r",
        before=None, after={"n": 1},
    )  # fmt: skip


def targets(database: Database) -> list[str]:
    with database.read() as session:
        return list(session.exec(select(LedgerRow.target).order_by(col(LedgerRow.id))).all())


def cut_off(database: Database, session: Session) -> None:
    """End the server's side of a session's connection."""
    (pid,) = session.connection().exec_driver_sql("SELECT pg_backend_pid()").one()
    with database.engine.connect() as other:
        other.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": pid})


def test_sixteen_writers_see_no_error_and_their_numbers_are_in_the_order_of_commits(
    database: Database,
) -> None:
    other, failures, seen = Database(database.url), [], list[int]()

    def write(name: int) -> None:
        try:
            for number in range(6):
                with (database if name % 2 else other).write() as session:
                    newest = session.exec(select(LedgerRow.id).order_by(col(LedgerRow.id).desc()))
                    before, after = newest.first() or 0, change(session, f"{name}-{number}")
                    assert after > before
                    seen.append(after)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(name,)) for name in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert seen == sorted(seen)
    assert sorted(targets(database)) == sorted(f"{a}-{b}" for a in range(16) for b in range(6))
    other.close()


def test_a_read_is_one_snapshot(database: Database) -> None:
    with database.read() as session:
        assert session.exec(select(LedgerRow)).all() == []
        with database.write() as writing:
            change(writing, "later")
        assert session.exec(select(LedgerRow)).all() == []
    assert targets(database) == ["later"]


def test_a_read_writes_nothing(database: Database) -> None:
    with pytest.raises(DatabaseRefused, match="read-only"), database.read() as session:
        change(session, "x")


def test_a_connection_lost_in_mid_write_is_transient_and_nothing_is_written(
    database: Database,
) -> None:
    with pytest.raises(DatabaseUnavailable, match="does not answer"):
        with database.write() as session:
            change(session, "lost")
            cut_off(database, session)
            change(session, "too late")
    with database.write() as session:
        change(session, "kept")
    assert targets(database) == ["kept"]


def test_connections_that_died_while_idle_are_replaced_unseen(database: Database) -> None:
    assert targets(database) == []
    name = make_url(database.url).database
    admin = Database(database.url, migrate=False)
    with admin.engine.connect() as other:
        other.execute(
            text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = :name"
                 " AND pid <> pg_backend_pid()"), {"name": name},
        )  # fmt: skip
    assert targets(database) == []
    admin.close()


def test_a_writer_of_an_older_version_is_refused_with_the_reason(database: Database) -> None:
    with database.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9876'"))
    with pytest.raises(DatabaseRefused, match=r"schema 9876.*update Wellkept"):
        with database.write() as session:
            change(session, "x")
    assert targets(database) == []


def test_a_writer_that_does_not_get_the_lock_is_told_so(database: Database) -> None:
    with database.engine.connect() as other:
        other.exec_driver_sql("SET statement_timeout = 0")
        from memory_core.store import postgres

        other.exec_driver_sql(f"SELECT pg_advisory_xact_lock({postgres.LOCK})")
        hasty = Database(database.url, migrate=False)
        hasty._dialect.busy = 0.1  # type: ignore[attr-defined]
        with pytest.raises(DatabaseBusy, match="stayed locked"):
            with hasty.write():
                pass
        hasty.close()


def test_what_is_done_alone_is_done_alone_by_all_hosts(database: Database) -> None:
    other = Database(database.url, migrate=False)
    with database.alone("vault", 1.0):
        with pytest.raises(DatabaseBusy), other.alone("vault", 0.1):
            pass
        with other.alone("something else", 0.1):
            pass
    with other.alone("vault", 1.0):
        pass
    other.close()


@pytest.mark.parametrize("statement", ["UPDATE ledger SET actor = 'x'", "DELETE FROM ledger"])
def test_the_ledger_is_append_only(database: Database, statement: str) -> None:
    with database.write() as session:
        change(session, "x")
    for refused in (statement, "TRUNCATE ledger"):
        with pytest.raises(DBAPIError, match="append-only"), database.write() as session:
            session.execute(text(refused))
    assert targets(database) == ["x"]


def test_text_sorts_by_code_point_and_moments_come_back_in_utc(database: Database) -> None:
    names = ["a", "B", "_", "é", "Z", "-"]
    with database.write() as session:
        session.add_all(OutboxRow(key=n, kind="k", at=now(), payload={}) for n in names)
    with database.read() as session:
        rows = session.exec(select(OutboxRow).order_by(col(OutboxRow.key))).all()
    assert [row.key for row in rows] == sorted(names)
    assert all(row.at.utcoffset() == timedelta(0) for row in rows)
    assert all(abs(row.at - now()) < timedelta(minutes=5) for row in rows)
    assert rows[0].at.astimezone(UTC).isoformat() == rows[0].at.isoformat()


def test_a_nul_character_is_bad_input(database: Database) -> None:
    with pytest.raises(BadInput, match="NUL"), database.write() as session:
        change(session, "a\0b")


@pytest.mark.parametrize(
    ("changes", "error", "told"),
    [
        ({"database": "not_there"}, DatabaseRefused, "not_there.*refuses the login"),
        ({"username": "nobody_known"}, DatabaseRefused, "refuses the login"),
        ({"host": "127.0.0.1", "port": 1, "query": {}}, DatabaseUnavailable, "does not answer"),
    ],
)
def test_a_server_that_cannot_be_used_is_named_without_its_password(
    home: object, changes: dict[str, object], error: type[Exception], told: str
) -> None:
    url = make_url(stores.configured()).set(password="swordfish", **changes)  # type: ignore
    with pytest.raises(error, match=told) as raised:
        Database(url.render_as_string(hide_password=False))
    assert "swordfish" not in str(raised.value)


def test_a_database_that_cannot_hold_every_text_is_refused(tmp_path: Path) -> None:
    options = "ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0 LOCALE_PROVIDER libc"
    with pytest.raises(DatabaseRefused, match="encoded as LATIN1"):
        Database(stores.unmade(tmp_path / "unused", options))
