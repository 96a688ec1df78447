"""Vectors in the database: made by one server, found by all, lost without harm."""

from __future__ import annotations

import threading

import numpy as np
from sqlalchemy import text

from memory_core.recall.meaning import Meaning
from memory_core.recall.recall import Models
from memory_core.recall.source import NOTES_ONLY, Source
from memory_core.store.database import Database
from memory_core.store.shared_vectors import SharedVectors
from memory_core.store.vectors import Vector, content_hash
from memory_core.vault.passages import Passage
from tests import stores

pytestmark = stores.postgres_only
WIDTH = 8


def vector(number: int) -> Vector:
    return np.full(WIDTH, number, np.float16)


def made(count: int, first: int = 0) -> dict[bytes, Vector]:
    return {content_hash(f"text {n}"): vector(n) for n in range(first, first + count)}


def equal(found: dict[bytes, Vector], wanted: dict[bytes, Vector]) -> bool:
    same = all((found[key] == wanted[key]).all() for key in found)
    return found.keys() == wanted.keys() and same


def test_what_one_server_put_another_gets_by_model_and_width(database: Database) -> None:
    one, other = (SharedVectors(Database(database.url), "m", WIDTH) for _ in range(2))
    kept = made(900)
    one.put(kept.items())
    one.put(kept.items())
    assert equal(other.get([*kept, content_hash("unknown")]), kept)
    assert SharedVectors(database, "another model", WIDTH).get(list(kept)) == {}
    assert SharedVectors(database, "m", WIDTH + 1).get(list(kept)) == {}


def test_servers_that_put_the_same_at_once_do_not_hinder_each_other(database: Database) -> None:
    kept = made(300)
    servers = [SharedVectors(Database(database.url), "m", WIDTH) for _ in range(4)]
    orders = [list(kept.items()), list(kept.items())[::-1]] * 2
    threads = [
        threading.Thread(target=server.put, args=(order,))
        for server, order in zip(servers, orders, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert equal(servers[0].get(list(kept)), kept)


def test_a_table_that_was_dropped_is_a_miss_and_comes_back(database: Database) -> None:
    store, kept = SharedVectors(database, "m", WIDTH), made(3)
    with database.engine.begin() as connection:
        connection.execute(text("DROP TABLE derived_vector"))
    store.put(kept.items())
    assert store.get(list(kept)) == {}
    again = SharedVectors(database, "m", WIDTH)
    again.put(kept.items())
    assert equal(again.get(list(kept)), kept)


def test_a_server_embeds_nothing_that_another_has_embedded_meanwhile(
    database: Database, recall_models: Models
) -> None:
    embedder = recall_models.embedder
    assert embedder
    passages = tuple(Passage("a.md", "", f"fact number {n}") for n in range(6))
    source = Source("a.md", "a.md", passages, ())
    first, second = (
        Meaning(embedder, SharedVectors(Database(database.url), embedder.model, embedder.width))
        for _ in range(2)
    )
    for server in (first, second):
        server.update([source])
        assert server.pending == 6
    while first.embed_some():
        pass
    asked: list[str] = []
    embed, second.embedder = embedder.embed, _Counting(embedder, asked)  # type: ignore
    assert second.embed_some() == 0 and asked == []
    query = embed(["fact number 3"])[0]
    assert second.search(query, NOTES_ONLY, 6) == first.search(query, NOTES_ONLY, 6)


class _Counting:
    """The real embedder, and what it was asked for."""

    def __init__(self, embedder: object, asked: list[str]) -> None:
        self._embedder, self._asked = embedder, asked

    def embed(self, texts: list[str]) -> object:
        self._asked += texts
        return self._embedder.embed(texts)  # type: ignore[attr-defined]
