"""The tables as lines of JSON, exact in both directions; times in ISO 8601 with their zone.

Tables are found in the schema itself, so that a new one is exported without a word here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Connection, DateTime, Table, insert, select, text
from sqlmodel import Session, SQLModel

from memory_core.errors import BadInput
from memory_core.store import tables as _tables  # noqa: F401  # registers every table
from memory_core.store.tables import utc

RECORD = ("record_exchange", "record_session", "record_transcript")
_BATCH = 500  # rows at once
_SEED = ("counter",)  # an empty home has rows of it: they are replaced


def names(*, record: bool = True) -> list[str]:
    """Every table of the truth, those of the record only if wanted."""
    return [
        table.name
        for table in SQLModel.metadata.sorted_tables
        if record or table.name not in RECORD
    ]


def lines(session: Session, name: str) -> Iterator[str]:
    """The rows of a table in the order of their key, a JSON object each."""
    table = _table(name)
    rows = session.connection().execute(
        select(table).order_by(*table.primary_key.columns).execution_options(yield_per=_BATCH)
    )
    for row in rows.mappings():
        values = {column: _plain(value) for column, value in row.items()}
        yield json.dumps(values, ensure_ascii=True)


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
    held = [name for name in names() if name not in _SEED]
    return [name for name in held if session.connection().execute(
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


def _raise_sequence(connection: Connection, table: Table) -> None:
    """PostgreSQL numbers rows by a sequence of its own, which has to know the highest."""
    if connection.dialect.name != "postgresql" or "id" not in table.columns:
        return
    if table.columns["id"].type.python_type is int:
        connection.execute(text(
            f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'),"
            f" GREATEST((SELECT MAX(id) FROM {table.name}), 1))"
        ))  # fmt: skip
