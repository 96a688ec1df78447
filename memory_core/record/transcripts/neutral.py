"""The neutral format: `{session, turn, ts, role, text, tool: {name, input, output}}` a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from memory_core.record.transcripts.event import Event, moment, name_of, text_of

NAME = "neutral"


def events(row: dict[str, Any]) -> Iterator[Event]:
    """What a row says; one of an unknown role is skipped."""
    session, turn = name_of(row.get("session")), row.get("turn")
    ref = str(turn) if isinstance(turn, int) else ""
    common: dict[str, Any] = {
        "uuid": f"{session}/{ref}" if session and ref else "",
        "ref": ref,
        "at": moment(row.get("ts")),
        "session": session,
        "cwd": name_of(row.get("cwd")),
    }
    role, text = row.get("role"), text_of(row.get("text"))
    if role == "user":
        yield Event("request", text, **common)
    elif role == "assistant":
        yield Event("reply", text, **common)
    elif role == "tool" and isinstance(row.get("tool"), dict):
        tool = row["tool"]
        call = common | {"name": name_of(tool.get("name")) or "tool", "call": f"{session}/{ref}"}
        yield Event("call", _written(tool.get("input")), **call)
        failed = tool.get("failed") if isinstance(tool.get("failed"), bool) else None
        yield Event("output", _written(tool.get("output")), failed=failed, **call)
    else:
        yield Event("skipped", "unknown", **common)


def _written(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)
