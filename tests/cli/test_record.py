"""`wellkept record`: look at what was said, forget a session."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from memory_core.record import capture
from memory_core.store.database import Database

SESSION = "tests-of-record"
ROWS = [
    {"session": SESSION, "turn": 1, "ts": "2026-11-01T10:00:00Z", "role": "user",
     "text": "check the queue \u202e"},
    {"session": SESSION, "turn": 2, "ts": "2026-11-01T10:00:05Z", "role": "tool", "text": "",
     "tool": {"name": "bash", "input": "queue ls", "output": "line\n" * 200}},
    {"session": SESSION, "turn": 3, "ts": "2026-11-01T10:00:09Z", "role": "assistant",
     "text": "It is empty; PGPASSWORD=hunter2 was set."},
]  # fmt: skip


def record(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", "-m", "memory_core", "record", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )


def store(folder: Path, database: Database) -> None:
    file = folder / "t.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    capture.take_file(database, "ada", file, "neutral", SESSION)


def test_sessions_and_their_words_are_shown(tmp_path: Path, database: Database) -> None:
    assert record("sessions").stdout == "nothing is recorded yet\n"
    store(tmp_path, database)
    assert SESSION in record("sessions").stdout
    [listed] = json.loads(record("sessions", "--json").stdout)["sessions"]
    assert (listed["id"], listed["exchanges"], listed["redactions"]) == (SESSION, 1, 1)
    shown = record("show", SESSION[:7]).stdout
    assert "user: check the queue" in shown and "\u202e" not in shown
    assert "[redacted: password]" in shown and "hunter2" not in shown
    [one] = json.loads(record("show", SESSION, "--json").stdout)["exchanges"]
    assert [span["source"] for span in one["spans"]] == ["user", "tool", "agent"]
    assert [span["ref"] for span in one["spans"]] == ["1", "2", "3"]


def test_forgetting_asks_first_and_is_in_the_ledger(tmp_path: Path, database: Database) -> None:
    store(tmp_path, database)
    refused = record("forget-session", SESSION)
    assert refused.returncode == 1 and "cannot be undone" in refused.stderr
    done = record("forget-session", SESSION, "--yes", "--reason", "private", "--json")
    assert json.loads(done.stdout) == {"session": SESSION, "exchanges": 1, "entry": 1}
    assert json.loads(record("sessions", "--json").stdout) == {"sessions": []}
    command = [sys.executable, "-I", "-m", "memory_core", "history", "--json"]
    [entry] = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["entries"]
    assert (entry["target"], entry["reason"]) == (f"session:{SESSION}", "private")


def test_an_unknown_session_is_one_line(database: Database) -> None:
    for command in (["show", "none"], ["forget-session", "none", "--yes"]):
        done = record(*command)
        assert done.returncode == 1 and done.stdout == ""
        assert done.stderr.startswith("wellkept: nothing is recorded of session 'none'")
