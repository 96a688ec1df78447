"""The cache may be lost, empty, damaged or locked: callers find their rows missing, no more."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from memory_core.store import cache as store
from memory_core.store.cache import Cache
from memory_core.store.shown import Shown

SCHEMA = "CREATE TABLE IF NOT EXISTS row (key TEXT PRIMARY KEY, value TEXT);"


def fill(cache: Cache) -> None:
    cache.write("INSERT INTO row VALUES (?, ?)", [(f"k{n}", "v" * 500) for n in range(200)])


def count(cache: Cache) -> int:
    return len(cache.rows("SELECT key FROM row"))


def test_rows_come_back_after_closing(home: Path) -> None:
    cache = Cache(SCHEMA)
    fill(cache)
    cache.close()
    again = Cache(SCHEMA)
    assert count(again) == 200 and again.rebuilt is None
    again.close()


@pytest.mark.parametrize(
    "damage", [b"", b"not a database", b"SQLite format 3\x00" + b"\xff" * 4000]
)
def test_a_damaged_file_is_moved_aside(home: Path, damage: bytes) -> None:
    file = home / "cache.sqlite"
    file.write_bytes(damage)
    cache = Cache(SCHEMA)
    fill(cache)
    assert count(cache) == 200
    if damage:
        assert cache.rebuilt and cache.rebuilt.read_bytes() == damage
    cache.close()


def test_damage_inside_a_file_is_found_at_opening(home: Path) -> None:
    cache = Cache(SCHEMA)
    fill(cache)
    cache.close()
    file = home / "cache.sqlite"
    data = bytearray(file.read_bytes())
    data[4096 * 3 : 4096 * 6] = b"\xff" * 4096 * 3
    file.write_bytes(data)
    again = Cache(SCHEMA)
    assert count(again) == 0 and again.rebuilt
    again.close()


def test_damage_in_mid_use_empties_the_cache_and_it_goes_on(home: Path) -> None:
    cache = Cache(SCHEMA)
    fill(cache)
    cache.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    with (home / "cache.sqlite").open("r+b") as file:
        file.write(b"\xff" * 100)
    other = sqlite3.connect(home / "cache.sqlite")
    with pytest.raises(sqlite3.DatabaseError):
        other.execute("SELECT * FROM row")
    other.close()
    again = Cache(SCHEMA)
    fill(again)
    assert count(again) == 200
    again.close()
    cache.close()


def test_a_locked_file_is_a_miss_and_stays_where_it_is(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "BUSY_SECONDS", 0.05)
    cache = Cache(SCHEMA)
    fill(cache)
    other = sqlite3.connect(home / "cache.sqlite", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    cache.write("INSERT INTO row VALUES (?, ?)", [("new", "v")])
    other.execute("ROLLBACK")
    other.close()
    assert count(cache) == 200 and cache.rebuilt is None
    cache.close()


def test_where_no_file_can_be_had_the_cache_lives_in_memory(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    cache = Cache(SCHEMA, blocked / "cache.sqlite")
    fill(cache)
    assert count(cache) == 200
    cache.close()


def test_a_session_knows_what_it_was_shown_until_it_forgets(home: Path) -> None:
    shown = Shown()
    shown.add("a", [("x.md", "1"), ("y.md", "1")])
    shown.add("a", [("x.md", "2")])
    shown.add("b", [("x.md", "1")])
    assert shown.of("a") == {"x.md": "2", "y.md": "1"}
    shown.forget("a")
    assert shown.of("a") == {} and shown.of("b") == {"x.md": "1"}
    shown.close()
    again = Shown()
    assert again.of("b") == {"x.md": "1"}
    again.close()
