"""Recorded sessions, played through the real hook process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memory_core.record import capture
from memory_core.record.archive import exchanges
from memory_core.record.exchange import Exchange
from memory_core.store.database import Database

DATA = Path(__file__).parents[1] / "data"
RECORDED = DATA / "clients" / "claude-code"
WORKING = Path(__file__).parents[2] / "demo"
HOOKS = {
    "UserPromptSubmit": "front", "Stop": "back", "SessionEnd": "session-end",
    "BeforeAgent": "front", "AfterAgent": "back",
}  # fmt: skip


def hook(
    name: str, given: bytes | dict[str, Any], client: str = "claude-code", **environment: str
) -> bytes:
    """What a hook printed; it must end with 0."""
    document = given if isinstance(given, bytes) else json.dumps(given).encode()
    done = subprocess.run(
        [sys.executable, "-I", "-m", "memory_core.hooks.main", name, "--client", client],
        input=document, capture_output=True, timeout=60, check=False,
        env=os.environ | environment,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def transcript(name: str, folder: Path) -> Path:
    """A copy of a recorded transcript under the name that its session has."""
    rows = (RECORDED / "transcripts" / f"{name}.jsonl").read_text("utf-8").splitlines()
    session = next(json.loads(row)["sessionId"] for row in rows if '"sessionId"' in row)
    copy = folder / f"{session}.jsonl"
    shutil.copy(RECORDED / "transcripts" / f"{name}.jsonl", copy)
    return copy


def play(
    scenario: str, folder: Path, recorded: Path = RECORDED, client: str = "claude-code"
) -> None:
    """Send the scenario's events, in order, to the hooks; transcripts lie in `folder`."""
    for file in sorted((recorded / "scenarios" / scenario).glob("*.json")):
        event = json.loads(file.read_text("utf-8"))
        event["transcript_path"] = str(folder / f"{event['session_id']}.jsonl")
        if name := HOOKS.get(event["hook_event_name"]):
            printed = hook(name, event, client)
            assert name == "front" or printed == b""


def stop(session: str, file: Path | str, **more: Any) -> dict[str, Any]:
    """A payload of the back hook."""
    return {
        "session_id": session, "transcript_path": str(file), "cwd": "/home/user/project",
        "hook_event_name": "Stop", "prompt_id": "p1", "last_assistant_message": "done", **more,
    }  # fmt: skip


@contextmanager
def nobody_stores() -> Iterator[None]:
    """Hold the lock, so that hooks start no process and the test stores by itself."""
    held = capture.lock()
    held.acquire("a test")
    try:
        yield
    finally:
        held.release()


def recorded(database: Database, session: str | None = None) -> list[Exchange]:
    """What is stored."""
    with database.read() as stored:
        return exchanges(stored, of=session)


def said(database: Database, session: str | None = None) -> list[tuple[str, str, str]]:
    """State, request and reply of what is stored."""
    return [(one.state, one.request, one.reply) for one in recorded(database, session)]


def row(kind: str, number: int, content: Any, **more: Any) -> dict[str, Any]:
    """A row as Claude Code writes it."""
    return {
        "type": kind, "uuid": f"u{number}", "sessionId": "s", "isSidechain": False,
        "timestamp": f"2026-11-30T10:{number // 60 % 60:02}:{number % 60:02}.000Z",
        "cwd": "/home/user/project", "message": {"role": kind, "content": content}, **more,
    }  # fmt: skip


def conversation(turns: int, *, first: int = 0, text: str = "") -> list[dict[str, Any]]:
    """Rows of so many turns, each a request, a tool call with its output, and a reply."""
    rows = []
    for turn in range(first, first + turns):
        at = turn * 10
        use = {"type": "tool_use", "id": f"t{turn}", "name": "Bash", "input": {"command": "ls"}}
        result = {"type": "tool_result", "tool_use_id": f"t{turn}", "content": f"out {turn}{text}"}
        rows += [
            row("user", at, f"request {turn}", promptId=f"p{turn}"),
            row("assistant", at + 1, [use]),
            row("user", at + 2, [result], promptId=f"p{turn}"),
            row("assistant", at + 3, [{"type": "text", "text": f"reply {turn}"}]),
        ]
    return rows


def write(file: Path, rows: list[dict[str, Any]], *, append: bool = False) -> Path:
    """Rows as JSONL."""
    with file.open("ab" if append else "wb") as out:
        for one in rows:
            out.write(json.dumps(one, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")
    return file
