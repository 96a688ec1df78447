"""The tables as lines of JSON, exact in both directions; times in ISO 8601 with their zone.

Tables are found in the schema itself, so that a new one is exported without a word here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Connection, DateTime, Table, insert, select, text, tuple_
from sqlmodel import Session, SQLModel

from memory_core.errors import BadInput
from memory_core.store import tables as _tables  # noqa: F401  # registers every table
from memory_core.store.tables import utc

RECORD = ("record_exchange", "record_session", "record_transcript")
Key = tuple[Any, ...]
_BATCH = 500  # rows at once
_SEED = ("counter",)  # an empty home has rows of it: they are replaced


def names(*, record: bool = True) -> list[str]:
    """Every table of the truth, those of the record only if wanted."""
    return [
        table.name
        for table in SQLModel.metadata.sorted_tables
        if record or table.name not in RECORD
    ]


def moved() -> list[str]:
    """The tables without those that every home begins with."""
    return [name for name in names() if name not in _SEED]


def lines(session: Session, name: str, upto: Key | None = None) -> Iterator[str]:
    """The rows of a table in the order of their key, a JSON object each; none behind `upto`."""
    table = _table(name)
    query = select(table).order_by(*table.primary_key.columns)
    if upto is not None:
        query = query.where(_key(table) <= upto)
    found = session.connection().execute(query.execution_options(yield_per=_BATCH))
    for row in found.mappings():
        values = {column: _plain(value) for column, value in row.items()}
        yield json.dumps(values, ensure_ascii=True)


def digest(session: Session, name: str, upto: Key | None = None) -> tuple[int, str]:
    """How many rows `lines` gives, and the SHA-256 of them all."""
    count, hashed = 0, hashlib.sha256()
    for line in lines(session, name, upto):
        count += 1
        hashed.update(line.encode() + b"\n")
    return count, hashed.hexdigest()


def last(session: Session, name: str) -> Key | None:
    """The highest key of a table; None where it is empty."""
    keys = list(_table(name).primary_key.columns)
    query = select(*keys).order_by(*(column.desc() for column in keys)).limit(1)
    row = session.connection().execute(query).first()
    return tuple(row) if row else None


def copy(
    held: Session, name: str, into: Session, after: Key | None, limit: int
) -> tuple[Key | None, int]:
    """Copy the next rows behind a key, at most `limit`: the key of the last, and how many."""
    table = _table(name)
    query = select(table).order_by(*table.primary_key.columns).limit(limit)
    if after is not None:
        query = query.where(_key(table) > after)
    batch = [
        {
            column: utc(value) if isinstance(value, datetime) else value
            for column, value in row.items()
        }
        for row in held.connection().execute(query).mappings()
    ]
    if not batch:
        return after, 0
    key = tuple(batch[-1][column.name] for column in table.primary_key.columns)
    return key, _insert(into.connection(), table, batch)


def seed(held: Session, into: Session) -> None:
    """Copy what every home begins with, in place of what is there, and set the numbering."""
    for name in _SEED:
        into.connection().execute(_table(name).delete())
        copy(held, name, into, None, _BATCH)
    for name in names():
        _raise_sequence(into.connection(), _table(name))


def fill(session: Session, name: str, told: Iterable[str]) -> int:
    """Put the rows of such lines into a table; how many.

    Raises `BadInput` for a line that is no row of it.
    """
    table, batch, count = _table(name), list[dict[str, Any]](), 0
    columns = {column.name: column for column in table.columns}
    connection = session.connection()
    if name in _SEED:
        connection.execute(table.delete())
    for number, line in enumerate(told, start=1):
        batch.append(_row(line, columns, f"{name}.jsonl, line {number:,}"))
        if len(batch) == _BATCH:
            count += _insert(connection, table, batch)
    count += _insert(connection, table, batch)
    _raise_sequence(connection, table)
    return count


def used(session: Session) -> list[str]:
    """The tables that hold something, besides what every home begins with."""
    return [name for name in moved() if session.connection().execute(
        select(text("1")).select_from(_table(name)).limit(1)
    ).first()]  # fmt: skip


def _insert(connection: Connection, table: Table, batch: list[dict[str, Any]]) -> int:
    """Insert and empty a batch; how many rows it held."""
    count = len(batch)
    if batch:
        connection.execute(insert(table), batch)
        batch.clear()
    return count


def _row(line: str, columns: Mapping[str, Column[Any]], where: str) -> dict[str, Any]:
    try:
        values = json.loads(line)
    except ValueError as error:
        raise BadInput(f"{where}: no JSON: {error}", remedy="export again") from None
    if not isinstance(values, dict) or not set(values) <= set(columns):
        raise BadInput(f"{where}: no row of this table", remedy="export again")
    try:
        return {name: _typed(columns[name], value) for name, value in values.items()}
    except (TypeError, ValueError) as error:
        raise BadInput(f"{where}: {error}", remedy="export again") from None


def _typed(column: Column[Any], value: Any) -> Any:
    if isinstance(column.type, DateTime) and value is not None:
        return datetime.fromisoformat(value)
    return value


def _plain(value: Any) -> Any:
    return utc(value).isoformat() if isinstance(value, datetime) else value


def _table(name: str) -> Table:
    return SQLModel.metadata.tables[name]


def _key(table: Table) -> Any:
    """The primary key, for comparisons with a `Key`."""
    return tuple_(*table.primary_key.columns)


def _raise_sequence(connection: Connection, table: Table) -> None:
    """PostgreSQL numbers rows by a sequence of its own, which has to know the highest."""
    if connection.dialect.name != "postgresql" or "id" not in table.columns:
        return
    if table.columns["id"].type.python_type is int:
        connection.execute(text(
            f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'),"
            f" COALESCE(MAX(id), 1), MAX(id) IS NOT NULL) FROM {table.name}"
        ))  # fmt: skip
