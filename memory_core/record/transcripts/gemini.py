"""Gemini CLI's chat file: messages by id, written again as they grow, and patches between.

Patches (`$set`) repeat what stands elsewhere, and so does the output of a tool that comes
back under the user's name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from memory_core.record.injected import without_wrappers
from memory_core.record.transcripts.event import Event, moment, name_of, text_of

NAME = "gemini"
_CHROME = ("<session_context>", "<state_snapshot>", "<loaded_context>")


def events(row: dict[str, Any]) -> Iterator[Event]:
    """What a row says; rows that are no speech are skipped with a reason."""
    kind = row.get("type")
    common: dict[str, Any] = {
        "uuid": name_of(row.get("id")),
        "ref": name_of(row.get("id")),
        "at": moment(row.get("timestamp")),
        "session": name_of(row.get("sessionId")),
    }
    if kind == "user":
        yield _request(row, common)
    elif kind == "gemini":
        yield from _answer(row, common)
    elif kind == "error":
        yield Event("failed", **common)
    elif kind in ("info", "warning") or "$set" in row or "sessionId" in row:
        yield Event("skipped", "bookkeeping", **common)
    else:
        yield Event("skipped", "unknown", **common)


def _request(row: dict[str, Any], common: dict[str, Any]) -> Event:
    said = [
        text
        for text in _texts(row.get("content"))
        if not text.lstrip().startswith(_CHROME) and without_wrappers(text).strip()
    ]
    return (
        Event("request", "\n".join(said), **common)
        if said
        else Event("skipped", "chrome", **common)
    )


def _answer(row: dict[str, Any], common: dict[str, Any]) -> Iterator[Event]:
    said = "\n".join(_texts(row.get("content")))
    calls = [call for call in row.get("toolCalls") or () if isinstance(call, dict)]
    if said.strip():
        yield Event("reply", said, **common)
    for call in calls:
        name: dict[str, Any] = {
            "name": name_of(call.get("name")) or "tool",
            "call": name_of(call.get("id")),
        }
        yield Event("call", _input(call.get("args")), **name, **common)
        status = call.get("status")
        if status in ("success", "error", "cancelled"):
            output = "\n".join(_results(call.get("result")))
            yield Event("output", output, failed=status != "success", **name, **common)
    if not said.strip() and not calls:
        yield Event("skipped", "empty", **common)


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    found = []
    for part in content if isinstance(content, list) else ():
        if isinstance(part, str):
            found.append(part)
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            found.append(part["text"])
        elif isinstance(part, dict) and part.keys() & {"inlineData", "fileData"}:
            found.append("[file]")
    return found


def _input(value: Any) -> str:
    """A command as it stands, anything else as JSON."""
    if isinstance(value, dict) and isinstance(value.get("command"), str):
        return str(value["command"])
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _results(result: Any) -> Iterator[str]:
    for part in result if isinstance(result, list) else ():
        answer = part.get("functionResponse") if isinstance(part, dict) else None
        response = answer.get("response") if isinstance(answer, dict) else None
        if isinstance(response, dict):
            said = text_of(response.get("output")) or text_of(response.get("error"))
            yield _unframed(said or json.dumps(response, ensure_ascii=False))


def _unframed(text: str) -> str:
    """A tool's output without the client's frame around it."""
    start, end = "<untrusted_context>\n", "\n</untrusted_context>"
    return text[len(start) : -len(end)] if text.startswith(start) and text.endswith(end) else text
