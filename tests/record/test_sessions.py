"""Sessions end, ask once for a wrap, and can be forgotten for good."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory_core.errors import NotFound
from memory_core.hooks import spool
from memory_core.record import archive, capture, sessions
from memory_core.store import ledger, outbox
from memory_core.store.database import Database
from memory_core.store.tables import SessionRow, utc
from tests.record.replay import conversation, nobody_stores, recorded, said, write


def event(name: str, session: str, file: Path) -> None:
    spool.put({
        "event": name, "client": "claude-code", "session": session, "transcript": str(file),
        "cwd": "/home/user/project", "turn": "", "reason": "other", "at": 0.0,
    })  # fmt: skip


def requests(database: Database) -> list[tuple[str, int]]:
    with database.read() as session:
        rows = outbox.pending(session, outbox.WRAP)
        return [(row.payload["session"], row.payload["turn"]) for row in rows]


def drain(database: Database) -> None:
    with nobody_stores():
        assert capture.drain(database, "ada").problems == []


def test_each_end_asks_once_for_what_is_new(tmp_path: Path, database: Database) -> None:
    file = write(tmp_path / "t.jsonl", conversation(2))
    event("session-end", "s", file)
    drain(database)
    assert requests(database) == [("s", 2)]
    event("session-end", "s", file)  # the same end again, or an end with nothing new
    drain(database)
    assert requests(database) == [("s", 2)]
    write(file, conversation(1, first=2), append=True)  # resumed
    event("back", "s", file)
    drain(database)
    assert sessions.listed(database)[0].session.ended_at is None
    event("session-end", "s", file)
    drain(database)
    assert requests(database) == [("s", 2), ("s", 3)]
    with database.read() as session:
        positions = [row.payload["position"] for row in outbox.pending(session, outbox.WRAP)]
    assert positions[1] == file.stat().st_size > positions[0]


def test_a_session_that_said_nothing_asks_for_nothing(tmp_path: Path, database: Database) -> None:
    event("session-end", "s", tmp_path / "none.jsonl")
    drain(database)
    assert requests(database) == [] and sessions.listed(database) == []


def test_six_idle_hours_are_an_end(tmp_path: Path, database: Database) -> None:
    file = write(tmp_path / "t.jsonl", conversation(1))
    event("back", "s", file)
    drain(database)
    start = datetime.now(UTC)
    assert sessions.end_idle(database, start + timedelta(hours=5)) == 0
    assert sessions.end_idle(database, start + timedelta(hours=7)) == 1
    assert sessions.end_idle(database, start + timedelta(hours=8)) == 0
    [one] = sessions.listed(database)
    assert one.session.reason == "idle" and requests(database) == [("s", 1)]


def test_a_clock_that_goes_backwards_ends_nothing_at_once_and_something_later(
    tmp_path: Path, database: Database
) -> None:
    event("back", "s", write(tmp_path / "t.jsonl", conversation(1)))
    drain(database)
    past = datetime.now(UTC) - timedelta(days=400)
    assert sessions.end_idle(database, past) == 0
    with database.read() as session:
        held = session.get(SessionRow, "s")
    assert held is not None and utc(held.seen_at) == past
    assert sessions.end_idle(database, past + timedelta(hours=7)) == 1


def test_turns_stay_in_their_order_whatever_the_clock_says(
    tmp_path: Path, database: Database
) -> None:
    rows = conversation(3)
    for at, one in enumerate(rows):
        one["timestamp"] = f"2026-11-{28 - at:02}T10:00:00.000Z"
    event("back", "s", write(tmp_path / "t.jsonl", rows))
    drain(database)
    found = recorded(database, "s")
    assert [one.request for one in found] == ["request 0", "request 1", "request 2"]
    assert all(one.until >= one.at for one in found)


def test_what_no_hook_announced_is_found_while_the_session_is_open(
    tmp_path: Path, database: Database
) -> None:
    file = write(tmp_path / "t.jsonl", conversation(1))
    event("back", "s", file)
    drain(database)
    write(file, conversation(2, first=1), append=True)
    drain(database)
    assert len(said(database)) == 3


def test_a_forgotten_session_is_gone_and_never_comes_back(
    tmp_path: Path, database: Database
) -> None:
    file = write(tmp_path / "t.jsonl", conversation(2, text=" zanzibar"))
    event("back", "s", file)
    drain(database)
    number, exchanges = sessions.forget(database, "s", actor="user", reason="private")
    assert exchanges == 2 and recorded(database) == []
    event("back", "s", file)
    fork = [{**one, "sessionId": "f"} for one in conversation(2, text=" zanzibar")]
    event("back", "f", write(tmp_path / "f.jsonl", fork))
    file.write_bytes(file.read_bytes()[:-50])
    drain(database)
    assert recorded(database) == [] and sessions.size(database).characters == 0
    with database.read() as session:
        row = ledger.entry(session, number)
        assert (row.kind, row.action, row.actor, row.reason) == (
            "record", "forget", "user", "private",
        )  # fmt: skip
        assert row.before is not None and row.before["exchanges"] == 2
        assert "zanzibar" not in str(row.model_dump())
    write(file, conversation(1, first=5), append=True)
    event("back", "s", file)
    drain(database)
    assert [request for _, request, _ in said(database)] == ["request 5"]
    with pytest.raises(NotFound):
        sessions.forget(database, "unheard of", actor="user", reason="")


def test_nothing_is_forgotten_unless_days_are_set(tmp_path: Path, database: Database) -> None:
    event("session-end", "s", write(tmp_path / "t.jsonl", conversation(1)))
    drain(database)
    with database.write() as session:
        held = session.get(SessionRow, "s")
        assert held is not None
        held.seen_at = datetime.now(UTC) - timedelta(days=900)
        session.add(held)
    drain(database)
    assert len(recorded(database)) == 1
    with nobody_stores():
        capture.drain(database, "ada", keep_days=1000)
        assert len(recorded(database)) == 1
        capture.drain(database, "ada", keep_days=100)
    assert recorded(database) == []
    with database.read() as session:
        assert ledger.entries(session)[0].actor == "retention"


def test_a_window_is_everything_above_a_sequence(tmp_path: Path, database: Database) -> None:
    file = write(tmp_path / "t.jsonl", conversation(2))
    event("back", "s", file)
    drain(database)
    bookmark = max(one.sequence for one in recorded(database))
    more = conversation(1, first=1)[3:]
    more[0]["uuid"] = "grown"
    more[0]["message"]["content"][0]["text"] = "and one word more"
    write(file, [*more, *conversation(1, first=2)], append=True)
    event("back", "s", file)
    drain(database)
    with database.read() as session:
        window = archive.exchanges(session, since=bookmark)
    assert [one.request for one in window] == ["request 1", "request 2"]
