"""Recorded sessions of Claude Code are captured as a person would expect."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_core.record import capture
from memory_core.store import outbox
from memory_core.store.database import Database
from tests.record.replay import nobody_stores, play, recorded, said, transcript

ECHO = "STUB-OK: "
STAGING = "Remember: the staging port is 8443."
# scenarios in their order, their transcripts, and (state, beginning of request, of reply)
TABLE = {
    "one-turn": (
        ["one-turn"], ["one-turn"],
        [("answered", "What does calc.py do?", ECHO + "What does calc.py do?")],
    ),
    "continued, resumed, compacted, forked": (
        ["multi-1", "multi-2-continue", "multi-3-resume", "compact", "after-compact",
         "multi-4-fork"],
        ["multi-turn-continue-resume-compact", "multi-4-fork"],
        [("answered", STAGING, ECHO + STAGING),
         ("answered", "Which port is staging on?", ECHO),
         ("answered", "And what about production?", ECHO),
         ("answered", "After compaction question", ECHO),
         ("answered", "Forked question", ECHO + "Forked question")],
    ),
    "tools": (
        ["tool-use"], ["tool-use"],
        [("answered", "Run the tests please.", "All done: 1 test listed, notes written.")],
    ),
    "subagent": (
        ["subagent"], ["subagent"],
        [("answered", "Please explore.", "The subagent found two files.")],
    ),
    "slash command": (["slash-command"], ["slash-command"], [("answered", "/hello Ada", ECHO)]),
    "permission denied": (
        ["permission"], ["permission"], [("answered", "Try it", "finished")],
    ),
    "API error, no back hook": (
        ["api-error"], ["api-error"], [("failed", "Trigger an error", "")],
    ),
    "mcp": (["mcp"], ["mcp"], [("answered", "Use memory", "The staging port is 8443.")]),
    "unicode": (
        ["unicode"], ["unicode"],
        [("answered", "Zażółć gęślą jaźń — 記憶システム 🧠👩\u200d💻",
          "Odpowiedź: 記憶 🧠 — gotowe ✅")],
    ),
    "compaction in mid-session": (
        ["auto-1", "auto-2"], ["auto-compaction"],
        [("answered", "Fill the window", ECHO + "Fill the window"),
         ("answered", "Next after full window", ECHO)],
    ),
    "two sessions with a clear between": (
        ["interactive"], ["interactive-d4f7", "interactive-15d1"],
        [("answered", "Hello interactive", ECHO + "Hello interactive"),
         ("answered", "After clear", ECHO)],
    ),
}  # fmt: skip
# transcripts without recorded events
ALONE = {
    "hook-exit1": [("answered", "Hi exit1", ECHO + "Hi exit1")],
    "hook-exit2-blocked": [],
    "hook-timeout": [("answered", "Hi timeout1", ECHO + "Hi timeout1")],
    "injection-plain-stdout": [("answered", "Hi plain", ECHO + "Hi plain")],
    "injection-over-10000-chars": [("answered", "Hi big12000", ECHO + "Hi big12000")],
    "injection-json-resume-compact": [
        ("answered", "Hi json", ECHO), ("answered", "second turn", ECHO),
        ("answered", "third turn", ECHO), ("answered", "post compact", ECHO),
    ],
    "interactive-escape-interrupt-and-api-error": [("failed", "Bad one", "")],
    "stop-hook-exit2-loop": [("answered", "Hi stop2", ECHO + "Hi stop2")],
}  # fmt: skip


def matches(found: list[tuple[str, str, str]], wanted: list[tuple[str, str, str]]) -> None:
    assert [one[0] for one in found] == [one[0] for one in wanted]
    for (_, request, reply), (_, asked, answered) in zip(found, wanted, strict=True):
        assert request.startswith(asked)
        assert reply.startswith(answered) and bool(reply) == bool(answered)


@pytest.mark.parametrize("name", TABLE)
def test_a_recorded_scenario_is_captured(name: str, tmp_path: Path, database: Database) -> None:
    scenarios, transcripts, wanted = TABLE[name]
    for each in transcripts:
        transcript(each, tmp_path)
    with nobody_stores():
        for scenario in scenarios:
            play(scenario, tmp_path)
            assert capture.drain(database, "ada").problems == []
        matches(said(database), wanted)
        assert capture.drain(database, "ada").stored == 0
    with database.read() as session:
        asked = outbox.pending(session, outbox.WRAP)
    assert {row.payload["session"] for row in asked} == {one.session for one in recorded(database)}


@pytest.mark.parametrize("name", ALONE)
def test_a_recorded_transcript_is_captured(name: str, tmp_path: Path, database: Database) -> None:
    file = transcript(name, tmp_path)
    capture.take_file(database, "ada", file, "claude-code", file.stem)
    matches(said(database), ALONE[name])
    for one in recorded(database):
        assert "CTX" not in one.request + one.reply


def test_tool_calls_keep_their_outputs_and_how_they_ended(
    tmp_path: Path, database: Database
) -> None:
    file = transcript("tool-use", tmp_path)
    capture.take_file(database, "ada", file, "claude-code", file.stem)
    [one] = recorded(database)
    assert [(call.name, call.failed) for call in one.calls] == [
        ("Bash", False), ("Read", False), ("Bash", True), ("Write", False),
    ]  # fmt: skip
    assert one.calls[0].input == "echo running tests && ls"
    assert one.calls[0].output == "running tests\ncalc.py"
    assert one.calls[2].output.startswith("Exit code 1\ncat: /nonexistent")
    assert {call.source for call in one.calls} == {"tool"}
    assert [span.source for span in one.spans] == ["user", *["tool"] * 4, "agent"]


def test_a_side_chain_is_no_speech(tmp_path: Path, database: Database) -> None:
    file = next((Path(__file__).parents[1] / "data").rglob("agent-a80f3cee3ab2f8760.jsonl"))
    assert capture.take_file(database, "ada", file, "claude-code", "side") == 0
