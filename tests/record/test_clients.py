"""Recorded sessions of Codex, Gemini CLI and OpenCode are captured as a person would expect."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from memory_core.hooks import spool
from memory_core.record import capture
from memory_core.store import outbox
from memory_core.store.database import Database
from tests.record.replay import DATA, hook, nobody_stores, play, recorded, said

FOLDERS = {"codex": ("codex", "rollouts"), "gemini": ("gemini-cli", "transcripts")}
ECHO = "STUB-OK: "
STAGING = "Remember: the staging port is 8443."
UNICODE = "Zażółć gęślą jaźń — 記憶システム 🧠👩\u200d💻 שלום"
TWO_TURNS = [
    ("answered", STAGING, ECHO + STAGING),
    ("answered", "Which port is staging on?", ECHO + "Which port"),
]
# scenarios in their order, their transcript, and (state, beginning of request, of reply)
TABLE: dict[tuple[str, str], tuple[list[str], list[tuple[str, str, str]]]] = {
    ("codex", "one-turn"): (
        ["one-turn"], [("answered", "What does calc.py do?", ECHO + "What does calc.py do?")],
    ),
    ("codex", "multi-turn-resume"): (["multi-1", "multi-2-resume"], TWO_TURNS),
    ("codex", "tool-use"): (["tool-use"], [("answered", "Run it", "All done.")]),
    ("codex", "mcp"): (["mcp"], [("answered", "Use memory", "The staging port is 8443.")]),
    ("codex", "unicode"): (["unicode"], [("answered", UNICODE, "Odpowiedź: 記憶 🧠 ✅")]),
    ("codex", "json"): (["json"], [("answered", "json mode", ECHO + "json mode")]),
    ("gemini", "one-turn"): (
        ["one-turn"], [("answered", "What does calc.py do?", ECHO + "What does calc.py do?")],
    ),
    ("gemini", "multi-turn-resume"): (["multi-1", "multi-2-resume"], TWO_TURNS),
    ("gemini", "tool-use"): (["tool-use"], [("answered", "Run it", "All done.")]),
}  # fmt: skip


def matches(found: list[tuple[str, str, str]], wanted: list[tuple[str, str, str]]) -> None:
    assert [one[0] for one in found] == [one[0] for one in wanted]
    for (_, request, reply), (_, asked, answered) in zip(found, wanted, strict=True):
        assert request.startswith(asked)
        assert reply.startswith(answered) and bool(reply) == bool(answered)


def transcript(client: str, name: str) -> Path:
    folder, kind = FOLDERS[client]
    return DATA / "clients" / folder / kind / f"{name}.jsonl"


@pytest.mark.parametrize(("client", "name"), TABLE, ids="-".join)
def test_a_recorded_scenario_is_captured_once(
    client: str, name: str, tmp_path: Path, database: Database
) -> None:
    scenarios, wanted = TABLE[client, name]
    of_client = DATA / "clients" / FOLDERS[client][0]
    first = next((of_client / "scenarios" / scenarios[0]).glob("000-*.json"))
    session = json.loads(first.read_text("utf-8"))["session_id"]
    shutil.copy(transcript(client, name), tmp_path / f"{session}.jsonl")
    with nobody_stores():
        for scenario in scenarios:
            play(scenario, tmp_path, of_client, client)
            assert capture.drain(database, "ada").problems == []
        matches(said(database), wanted)
        assert capture.drain(database, "ada").stored == 0
    with database.read() as stored:
        asked = outbox.pending(stored, outbox.WRAP)
    assert {row.payload["session"] for row in asked} == {session}
    assert {one.client for one in recorded(database)} == {client}


def test_a_turn_that_codex_could_not_finish_is_recorded_as_failed(database: Database) -> None:
    file = transcript("codex", "injection-two-turns")
    capture.take_file(database, "ada", file, "codex", "s")
    matches(said(database), [("failed", "err", "")])


def test_codex_calls_keep_their_outputs_and_how_they_ended(database: Database) -> None:
    capture.take_file(database, "ada", transcript("codex", "tool-use"), "codex", "s")
    [one] = recorded(database)
    assert [(call.name, call.input, call.output, call.failed) for call in one.calls] == [
        ("exec_command", "echo running tests && ls", "running tests\ncalc.py\n", False),
        ("exec_command", "cat /nonexistent",
         "cat: /nonexistent: No such file or directory\n", True),
    ]  # fmt: skip


def test_a_gemini_message_that_is_written_again_counts_once(database: Database) -> None:
    capture.take_file(database, "ada", transcript("gemini", "tool-use"), "gemini", "s")
    [one] = recorded(database)
    assert [(call.name, call.input, call.failed) for call in one.calls] == [
        ("run_shell_command", "echo running tests", False),
        ("mcp_memory_recall", '{"query": "staging port"}', False),
    ]
    assert one.calls[0].output == "Output: running tests\nProcess Group PGID: 19436"


def test_what_our_own_tools_gave_back_is_not_recorded(tmp_path: Path, database: Database) -> None:
    rows = transcript("gemini", "tool-use").read_text("utf-8")
    file = tmp_path / "t.jsonl"
    file.write_text(rows.replace("mcp_memory_recall", "mcp_wellkept_recall_memories"), "utf-8")
    capture.take_file(database, "ada", file, "gemini", "s")
    [one] = recorded(database)
    assert "8443" not in one.calls[1].output


def test_opencode_calls_keep_their_outputs_and_how_they_ended(database: Database) -> None:
    file = DATA / "clients" / "opencode" / "tool-use.jsonl"
    capture.take_file(database, "ada", file, "opencode", "s")
    [one] = recorded(database)
    assert one.request.startswith("Run it") and one.reply == "done now"
    assert [(call.name, call.output, call.failed) for call in one.calls] == [
        ("bash", "hi\n", True), ("read", "File not found: /home/user/project/none", True),
    ]  # fmt: skip


def idle(session: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """What our plugin hands over when a turn of OpenCode ends."""
    return {
        "session_id": session, "hook_event_name": "session.idle", "messages": messages,
        "cwd": "/home/user/project",
    }  # fmt: skip


def test_the_messages_of_opencode_are_captured_once_and_their_file_goes(
    database: Database,
) -> None:
    file = DATA / "clients" / "opencode" / "session_messages.json"
    messages = json.loads(file.read_text("utf-8"))
    injected = {"type": "text", "text": "Memory: no note", "synthetic": True, "id": "prt_x"}
    messages[0]["parts"].append(injected)
    session = messages[0]["info"]["sessionID"]
    with nobody_stores():
        hook("back", idle(session, messages[:1]), "opencode")
        assert capture.drain(database, "ada").problems == []
        for _ in range(2):
            hook("back", idle(session, messages), "opencode")
        end = {"session_id": session, "hook_event_name": "dispose", "cwd": "/home/user/project"}
        hook("session-end", end, "opencode")
        assert capture.drain(database, "ada").problems == []
    assert said(database) == [("answered", '"idle test"', 'STUB-OK: "idle test"')]
    assert spool.names(spool.ROWS) == spool.names() == []
    with database.read() as stored:
        [asked] = outbox.pending(stored, outbox.WRAP)
    assert asked.payload["session"] == session
