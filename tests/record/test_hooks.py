"""The back and the session-end hook as real processes: silent, harmless, nothing lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from memory_core.hooks import capturing, spool
from memory_core.record import capture
from memory_core.server.protocol import GUARD
from memory_core.store.database import Database
from tests import stores
from tests.record.replay import (
    RECORDED,
    conversation,
    hook,
    nobody_stores,
    recorded,
    row,
    said,
    stop,
    write,
)


def drained(database: Database) -> int:
    done = capture.drain(database, "ada")
    assert done.problems == []
    return done.stored


def until(condition: Any, seconds: float = 60.0) -> None:
    """Wait for a process that nobody can wait for."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


@pytest.mark.parametrize("name", ["back", "session-end"])
@pytest.mark.parametrize(
    "given",
    [
        b"", b"\xff\xfe", b"{", b"[]", b"null", b'{"session_id": 7}', b'{"session_id": ""}',
        b'{"session_id": "s", "transcript_path": null, "cwd": [], "last_assistant_message": {}}',
        b'{"session_id": "\\ud800/../..", "transcript_path": "a\\u0000b"}',
        json.dumps(stop("s", "/no/such/file", last_assistant_message="x" * 500_000)).encode(),
    ],
)  # fmt: skip
def test_whatever_comes_in_nothing_comes_out(
    name: str, given: bytes, home: Path, database: Database
) -> None:
    with nobody_stores():
        assert hook(name, given) == b""
        drained(database)
    assert spool.names() == []
    assert {file.name for file in home.iterdir()} <= {
        "spool", "record.lock", "wellkept.sqlite", "wellkept.sqlite-wal", "wellkept.sqlite-shm",
    }  # fmt: skip


def test_nothing_happens_inside_an_agent_of_our_own(home: Path) -> None:
    assert hook("back", stop("s", "/no/such"), **{GUARD: "1"}) == b""
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("name", ["back", "session-end"])
def test_other_events_are_none_of_its_business(name: str, home: Path) -> None:
    own = {"back": "Stop", "session-end": "SessionEnd"}[name]
    for file in (RECORDED / "events").glob("*.json"):
        if file.stem != own:
            event = json.loads(file.read_text("utf-8")) | {"hook_event_name": file.stem}
            assert hook(name, event) == b""
    assert spool.names() == []


def test_the_started_process_stores_and_ends(tmp_path: Path, home: Path) -> None:
    file = write(tmp_path / "t.jsonl", conversation(2))
    hook("back", stop("s", file))
    until(lambda: not spool.names())
    until(lambda: not capturing.at_work())
    assert [request for _, request, _ in said(Database(stores.configured()))] == [
        "request 0", "request 1",
    ]  # fmt: skip
    assert not (home / "logs").exists()


def test_what_the_hook_left_holds_no_word_of_the_session(tmp_path: Path, home: Path) -> None:
    file = write(tmp_path / "t.jsonl", conversation(1))
    with nobody_stores():
        hook("back", stop("s", file, last_assistant_message="PGPASSWORD=hunter2 secret words"))
        [name] = spool.names()
        left = json.dumps(spool.read(name))
    assert "secret words" not in left and "hunter2" not in left


def test_a_reply_without_a_transcript_is_kept_redacted(home: Path, database: Database) -> None:
    with nobody_stores():
        said_last = "PGPASSWORD=hunter2 did it"
        hook("back", stop("s", "/no/such/file", last_assistant_message=said_last))
        assert "hunter2" not in json.dumps(spool.read(spool.names()[0]))
        drained(database)
    assert said(database) == [("answered", "", "PGPASSWORD=[redacted: password] did it")]


def test_a_transcript_that_appears_later_fills_the_turn_in(
    tmp_path: Path, database: Database
) -> None:
    file = tmp_path / "t.jsonl"
    with nobody_stores():
        hook("back", stop("s", file, prompt_id="p0", last_assistant_message="reply 0"))
        drained(database)
        assert said(database) == [("answered", "", "reply 0")]
        write(file, conversation(1))
        hook("back", stop("s", file, prompt_id="p0", last_assistant_message="reply 0"))
        drained(database)
    assert said(database) == [("answered", "request 0", "reply 0")]


@pytest.mark.parametrize("with_transcript", [True, False])
def test_eleven_hooks_for_one_turn_store_one_exchange(
    with_transcript: bool, tmp_path: Path, database: Database
) -> None:
    file = tmp_path / "t.jsonl"
    if with_transcript:
        write(file, conversation(1))
    with nobody_stores(), ThreadPoolExecutor(11) as together:
        payloads = [
            stop("s", file, prompt_id="p0", last_assistant_message=f"wording {number}")
            for number in range(11)
        ]
        assert set(together.map(lambda each: hook("back", each), payloads)) == {b""}
        assert len(spool.names()) == 11
        drained(database)
    assert len(recorded(database)) == 1 and spool.names() == []


def test_two_sessions_in_one_project_are_both_whole(tmp_path: Path, home: Path) -> None:
    files = {name: tmp_path / f"{name}.jsonl" for name in "ab"}
    for turn in range(3):
        for name, file in files.items():
            rows = conversation(1, first=turn)
            for one in rows:
                one["uuid"], one["sessionId"] = f"{name}{one['uuid']}", name
            write(file, rows, append=True)
        with ThreadPoolExecutor(2) as together:
            list(together.map(lambda one: hook("back", stop(one[0], one[1])), files.items()))
    until(lambda: not spool.names() and not capturing.at_work())
    store = Database(stores.configured())
    for name in files:
        assert [request for _, request, _ in said(store, name)] == [
            f"request {n}" for n in range(3)
        ]


@stores.sqlite_only
def test_a_turn_without_an_end_is_stored_at_the_next_request(tmp_path: Path, home: Path) -> None:
    file = write(tmp_path / "t.jsonl", [row("user", 1, "interrupted one", promptId="p1")])
    asked = {
        "session_id": "s", "transcript_path": str(file), "cwd": "/home/user/project",
        "hook_event_name": "UserPromptSubmit", "prompt": "x", "prompt_id": "p1",
    }  # fmt: skip
    hook("front", asked)
    assert not (home / "wellkept.sqlite").exists() and len(spool.names(spool.OPEN)) == 1
    hook("front", {**asked, "prompt_id": "p2"})
    until(lambda: (home / "wellkept.sqlite").exists() and not capturing.at_work())
    store = Database(stores.configured())
    assert said(store) == [("unanswered", "interrupted one", "")]
    with nobody_stores():
        hook("back", stop("s", file, prompt_id="p2"))
    assert spool.names(spool.OPEN) == []


@stores.sqlite_only
def test_a_killed_session_is_stored_at_the_start_of_the_next(tmp_path: Path, home: Path) -> None:
    file = write(tmp_path / "t.jsonl", conversation(1))
    asked = {
        "session_id": "s", "transcript_path": str(file), "cwd": "/home/user/project",
        "hook_event_name": "UserPromptSubmit", "prompt": "x",
    }  # fmt: skip
    hook("front", asked)
    hook(
        "session-start", {"session_id": "t", "hook_event_name": "SessionStart", "source": "startup"}
    )
    until(lambda: (home / "wellkept.sqlite").exists() and not capturing.at_work())
    assert len(said(Database(stores.configured()))) == 1


def test_a_home_that_cannot_be_written_costs_only_the_record(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder", "utf-8")
    for name in ("back", "session-end"):
        assert hook(name, stop("s", "/no/such"), WELLKEPT_HOME=str(blocked)) == b""


def test_a_full_disk_leaves_no_torn_file(tmp_path: Path, home: Path) -> None:
    """A file-size limit of zero bytes fails every write as a full disk does."""
    code = (
        "import resource, signal, runpy, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); sys.argv = ['hook', 'back'];"
        "runpy.run_module('memory_core.hooks.main', run_name='__main__')"
    )
    payload = json.dumps(stop("s", "/no/such")).encode()
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], input=payload, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, b"")
    assert [file for file in (home / "spool").rglob("*") if file.is_file()] == []


def test_a_hook_that_is_ended_ends_in_peace(home: Path) -> None:
    command = [sys.executable, "-I", "-m", "memory_core.hooks.main", "session-end"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    os.set_blocking(process.stdin.fileno(), False)  # type: ignore[union-attr]
    time.sleep(0.5)
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) in (0, -signal.SIGTERM)
    process.communicate()


def test_the_spool_survives_what_lies_in_it(home: Path, database: Database) -> None:
    folder = Path(spool.folder(spool.WAITING))
    folder.mkdir(parents=True)
    (folder / "0-a.json").write_bytes(b"")
    (folder / "1-b.json").write_bytes(b"{torn")
    (folder / ".hidden").write_bytes(b"being written")
    done = capture.drain(database, "ada")
    assert len(done.problems) == 2 and all("said nothing" in line for line in done.problems)
    assert spool.names() == []
