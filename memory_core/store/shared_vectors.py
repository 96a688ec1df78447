"""Vectors by content hash and model in the database, for the servers of several hosts.

What one server has embedded no other embeds again. Derived: the table is made when it is
missing, and dropping it costs time alone. It needs no write lock, since a row never changes.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

import numpy as np
from sqlalchemy import Column, Connection, LargeBinary, MetaData, String, Table, and_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import SQLAlchemyError

from memory_core.store.database import Database
from memory_core.store.vectors import Vector

log = logging.getLogger("wellkept.vectors")
_BATCH = 400
_TABLE = Table(
    "derived_vector",
    MetaData(),  # of its own: no migration and no export knows it
    Column("model", String(collation="C"), primary_key=True),
    Column("hash", LargeBinary, primary_key=True),
    Column("vector", LargeBinary, nullable=False),
)


class SharedVectors:
    """One model's vectors, each of `width` half-precision numbers.

    A failure to read or write is a miss, noted in the log. Only for PostgreSQL.
    """

    shared = True

    def __init__(self, database: Database, model: str, width: int) -> None:
        self._database, self._model, self._width = database, model, width
        with database.write() as session:  # two servers may start at once
            _TABLE.create(session.connection(), checkfirst=True)

    def get(self, hashes: Sequence[bytes]) -> dict[bytes, Vector]:
        """The vectors that are there, by hash."""
        found: dict[bytes, Vector] = {}
        try:
            with self._database.engine.begin() as connection:
                for at in range(0, len(hashes), _BATCH):
                    found.update(self._some(connection, hashes[at : at + _BATCH]))
        except SQLAlchemyError as error:
            log.warning("vectors could not be read: %s", type(error).__name__)
        return {key: vector for key, vector in found.items() if vector.shape == (self._width,)}

    def put(self, items: Iterable[tuple[bytes, Vector]]) -> None:
        """Keep vectors by hash; one that is there stays."""
        rows = [
            {"model": self._model, "hash": key, "vector": vector.tobytes()}
            for key, vector in sorted(items, key=lambda item: item[0])  # no two writers deadlock
        ]
        try:
            with self._database.engine.begin() as connection:
                for at in range(0, len(rows), _BATCH):
                    query = insert(_TABLE).on_conflict_do_nothing()
                    connection.execute(query, rows[at : at + _BATCH])
        except SQLAlchemyError as error:
            log.warning("vectors could not be kept: %s", type(error).__name__)

    def _some(self, connection: Connection, hashes: Sequence[bytes]) -> dict[bytes, Vector]:
        held = _TABLE.c
        query = select(held.hash, held.vector).where(
            and_(held.model == self._model, held.hash.in_(hashes))
        )
        return {
            bytes(key): np.frombuffer(stored, np.float16)
            for key, stored in connection.execute(query)
        }
