"""OpenCode's messages, one a line: `{info: {id, role, ...}, parts: [...]}`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from memory_core.record.injected import without_wrappers
from memory_core.record.transcripts.event import Event, name_of, text_of

NAME = "opencode"


def events(row: dict[str, Any]) -> Iterator[Event]:
    """What a message says; one that is no speech is skipped with a reason."""
    info = row["info"] if isinstance(row.get("info"), dict) else {}
    listed = row.get("parts")
    parts = [part for part in listed if isinstance(part, dict)] if isinstance(listed, list) else []
    common = _common(info)
    if info.get("role") == "user":
        yield _request(parts, common)
    elif info.get("role") != "assistant":
        yield Event("skipped", "unknown", **common)
    elif info.get("summary") is True or info.get("mode") == "compaction":
        yield Event("skipped", "summary", **common)
    else:
        found = [event for part in parts for event in _answer(part, common)]
        yield from found
        if isinstance(error := info.get("error"), dict):
            aborted = error.get("name") == "MessageAbortedError"
            yield Event("interrupted" if aborted else "failed", **common)
        elif not found:
            yield Event("skipped", "empty", **common)


def _common(info: dict[str, Any]) -> dict[str, Any]:
    time, path = info.get("time"), info.get("path")
    created = time.get("created") if isinstance(time, dict) else None
    name = name_of(info.get("id"))
    return {
        "uuid": name,
        "ref": name,
        "prompt": name_of(info.get("parentID")) or name,
        "at": _moment(created),
        "session": name_of(info.get("sessionID")),
        "cwd": name_of(path.get("cwd")) if isinstance(path, dict) else "",
    }


def _moment(milliseconds: Any) -> datetime | None:
    if not isinstance(milliseconds, int | float):
        return None
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _request(parts: list[dict[str, Any]], common: dict[str, Any]) -> Event:
    said = []
    for part in parts:
        if part.get("synthetic") or part.get("ignored"):
            continue  # the client's or a plugin's words, ours among them
        if part.get("type") == "text" and without_wrappers(text_of(part.get("text"))).strip():
            said.append(text_of(part.get("text")))
        elif part.get("type") == "file":
            said.append("[file]")
    return (
        Event("request", "\n".join(said), **common)
        if said
        else Event("skipped", "chrome", **common)
    )


def _answer(part: dict[str, Any], common: dict[str, Any]) -> Iterator[Event]:
    state = part.get("state")
    if part.get("type") == "text" and not part.get("synthetic"):
        if text_of(part.get("text")).strip():
            yield Event("reply", text_of(part.get("text")), **common)
    elif part.get("type") == "tool" and isinstance(state, dict):
        name: dict[str, Any] = {
            "name": name_of(part.get("tool")) or "tool",
            "call": name_of(part.get("callID")) or name_of(part.get("id")),
        }
        yield Event("call", _input(state.get("input")), **name, **common)
        if state.get("status") in ("completed", "error"):
            failed = state["status"] == "error" or _exit_code(state) not in (None, 0)
            output = text_of(state.get("output")) or text_of(state.get("error"))
            yield Event("output", output, failed=failed, **name, **common)


def _exit_code(state: dict[str, Any]) -> Any:
    metadata = state.get("metadata")
    return metadata.get("exit") if isinstance(metadata, dict) else None


def _input(value: Any) -> str:
    """A command as it stands, anything else as JSON."""
    if isinstance(value, dict) and isinstance(value.get("command"), str):
        return str(value["command"])
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
