"""Recorded events of the client through the real hook process and the real server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memory_core.server.protocol import GUARD, INJECTION_UNITS
from memory_core.text import utf16_units
from tests.warm import ASKED, NONSENSE, Warm

RECORDED = Path(__file__).parents[1] / "data" / "clients" / "claude-code"
HOOKS = {
    "UserPromptSubmit": "front",
    "Stop": "back",
    "SessionStart": "session-start",
    "SessionEnd": "session-end",
}
SCENARIOS = sorted(RECORDED.glob("scenarios/*/*.json"))


def hook(*arguments: str, given: bytes | dict[str, Any], **environment: str) -> bytes:
    """What the hook printed; it must end with 0 and leave standard error alone."""
    document = given if isinstance(given, bytes) else json.dumps(given).encode()
    done = subprocess.run(
        [sys.executable, "-I", "-m", "memory_core.hooks.main", *arguments],
        input=document,
        capture_output=True,
        timeout=60,
        check=False,
        env=os.environ | environment,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def context(printed: bytes, event: str) -> str:
    """The injected text of an exact document."""
    output = json.loads(printed)["hookSpecificOutput"]
    assert output.keys() == {"hookEventName", "additionalContext"}
    assert output["hookEventName"] == event
    assert json.dumps({"hookSpecificOutput": output}, ensure_ascii=False).encode() == printed
    assert utf16_units(printed.decode()) < INJECTION_UNITS
    return str(output["additionalContext"])


def prompt(text: str, session: str = "") -> dict[str, Any]:
    return {"session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": text}


@pytest.mark.parametrize("file", SCENARIOS, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_a_recorded_event_gets_an_exact_document_or_nothing(file: Path, warm: Warm) -> None:
    document = json.loads(file.read_text("utf-8"))
    event = document["hook_event_name"]
    printed = hook(HOOKS[event], given=file.read_bytes())
    if event in ("Stop", "SessionEnd"):
        assert printed == b""
    else:
        text = context(printed, event)
        assert text.startswith(("Memory", "Notes from memory"))
        assert "unavailable" not in text


@pytest.mark.parametrize("name", HOOKS.values())
def test_a_hook_stays_silent_at_every_event_but_its_own(name: str, home: Path) -> None:
    for file in sorted((RECORDED / "events").glob("*.json")):
        if HOOKS.get(file.stem) != name:
            recorded = json.loads(file.read_text("utf-8"))
            given = {**recorded, "hook_event_name": file.stem}
            assert hook(name, given=given, WELLKEPT_DEADLINE_MS="10000") == b""


def test_the_right_note_comes_with_file_date_score_and_quoted_text(warm: Warm) -> None:
    text = context(hook("front", given=prompt(ASKED)), "UserPromptSubmit")
    assert "k8s-hpa-checkout.md, updated 20" in text
    assert ", score " in text and "\n  > " in text
    assert "open the file before acting on it" in text and str(warm.vault) in text


def test_nothing_relevant_is_said(warm: Warm) -> None:
    text = context(hook("front", given=prompt(NONSENSE)), "UserPromptSubmit")
    assert text == "Memory: no note is relevant to this request."


def test_a_note_comes_in_full_once_a_session_and_again_after_compaction(warm: Warm) -> None:
    def ask(session: str) -> str:
        return context(hook("front", given=prompt(ASKED, session)), "UserPromptSubmit")

    def start(source: str) -> None:
        given = {"session_id": "a", "hook_event_name": "SessionStart", "source": source}
        context(hook("session-start", given=given), "SessionStart")

    first = ask("a")
    again = ask("a")
    assert "(shown earlier in this session)" not in first
    assert "k8s-hpa-checkout.md" in again and "  > " not in again
    assert ask("b") == first
    start("resume")
    assert ask("a") == again
    start("compact")
    assert ask("a") == first


def test_a_changed_note_is_shown_again_in_the_same_session(warm: Warm) -> None:
    file = warm.vault / "k8s-hpa-checkout.md"
    before = file.read_text("utf-8")
    hook("front", given=prompt(ASKED, "changed"))
    try:
        file.write_text(before + "\n- Checkout HPA replicas were raised to 77 at most.\n", "utf-8")
        for _ in range(100):
            text = context(hook("front", given=prompt(ASKED, "changed")), "UserPromptSubmit")
            if "  > " in text:
                break
        assert "  > " in text
    finally:
        file.write_text(before, "utf-8")


def test_the_session_start_tells_the_always_loaded_files_size(warm: Warm) -> None:
    given = {"session_id": "s", "hook_event_name": "SessionStart", "source": "startup"}
    text = context(hook("session-start", given=given), "SessionStart")
    assert f"{warm.vault}/MEMORY.md holds 2,449 of 3,000 characters." in text


def test_noisy_python_settings_leave_the_document_exact(warm: Warm) -> None:
    for noisy in ({"PYTHONWARNINGS": "always"}, {"PYTHONDEVMODE": "1"}, {"PYTHONUNBUFFERED": "1"}):
        done = subprocess.run(
            [sys.executable, "-m", "memory_core.hooks.main", "front"],
            input=json.dumps(prompt(NONSENSE)).encode(),
            capture_output=True,
            timeout=60,
            check=False,
            env=os.environ | noisy,
        )
        assert done.returncode == 0
        assert context(done.stdout, "UserPromptSubmit").startswith("Memory: no note")


@pytest.mark.parametrize("name", HOOKS.values())
def test_a_child_agent_of_ours_is_left_alone(name: str, warm: Warm) -> None:
    assert hook(name, given=prompt(ASKED), **{GUARD: "1"}) == b""


def test_long_and_odd_requests_are_answered(warm: Warm) -> None:
    odd = ["", " \n", "🧠", "\x00\x07", 'title:( AND OR "', "\ud800 lone", "[" * 5000, "的" * 3000]
    log = "\n".join(f"2026-09-01 12:00:{n % 60:02} ERROR worker-{n} timed out" for n in range(5000))
    for text in [*odd, log, f"{log}\nWhy does this happen?", "x" * 1_000_000]:
        answer = context(hook("front", given=prompt(text)), "UserPromptSubmit")
        assert "unavailable" not in answer, text[:40]


def test_a_session_hears_of_memories_once_and_of_a_change(warm: Warm, tmp_path: Path) -> None:
    def ask() -> str:
        given = {**prompt(NONSENSE, "digest"), "cwd": str(tmp_path)}
        return context(hook("front", given=given), "UserPromptSubmit")

    def remember(key: str) -> None:
        arguments = {"key": key, "description": f"About {key}", "content": "Text."}
        body = {"arguments": arguments, "cwd": str(tmp_path)}
        assert warm.call("/tools/remember", body)["ok"]

    assert "## Memory" not in ask()
    remember("first")
    assert '{"key": "first", "description": "About first"}' in ask()
    assert "## Memory" not in ask()
    remember("second")
    assert '{"key": "second"' in ask()
