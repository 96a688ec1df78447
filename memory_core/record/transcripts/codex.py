"""Codex's rollout: `{timestamp, type, payload}` a line; speech stands in response items.

The same words stand once more in `item_completed` events, which are skipped, and hook
output is a message by the developer. A file that is resumed goes on with the same session.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from memory_core.record.injected import without_wrappers
from memory_core.record.transcripts.event import Event, moment, name_of, text_of

NAME = "codex"
_CHROME = re.compile(
    r"^\s*(?:<(?:environment_context|user_instructions|hook_prompt|turn_aborted|skill"
    r"|permissions instructions|subagent_notification|user_shell_command)\b"
    r"|# AGENTS\.md instructions for )"
)
_EXIT = re.compile(r"^(?:Process e|E)xit(?:ed with)? code:? (\d+)", re.MULTILINE)
_CALLS = {"function_call": "arguments", "custom_tool_call": "input", "local_shell_call": "action"}
_OUTPUTS = ("function_call_output", "custom_tool_call_output")


def events(row: dict[str, Any]) -> Iterator[Event]:
    """What a row says; rows that are no speech are skipped with a reason."""
    payload = row.get("payload")
    item = payload if isinstance(payload, dict) else {}
    common = _common(row, item)
    match row.get("type"):
        case "response_item":
            yield from _items(item, common)
        case "event_msg" if item.get("type") == "turn_aborted":
            yield Event("interrupted", **common)
        case "event_msg" if item.get("type") == "task_complete" and item.get("error"):
            yield Event("failed", **common)
        case "event_msg" | "session_meta" | "turn_context" | "world_state" | "token_usage_record":
            yield Event("skipped", "bookkeeping", **common)
        case "compacted":
            yield Event("skipped", "summary", **common)
        case _:
            yield Event("skipped", "unknown", **common)


def _common(row: dict[str, Any], item: dict[str, Any]) -> dict[str, Any]:
    passed = item.get("internal_chat_message_metadata_passthrough")
    turn = item.get("turn_id") or (passed.get("turn_id") if isinstance(passed, dict) else "")
    name = name_of(item.get("id"))
    return {
        "uuid": name if row.get("type") == "response_item" else "",
        "ref": name,
        "prompt": name_of(turn),
        "at": moment(row.get("timestamp")),
        "session": name_of(item.get("session_id")),
        "cwd": name_of(item.get("cwd")),
    }


def _items(item: dict[str, Any], common: dict[str, Any]) -> Iterator[Event]:
    kind = text_of(item.get("type"))
    if kind == "message":
        yield _message(item, common)
    elif kind in _CALLS:
        yield Event(
            "call", _input(item.get(_CALLS[kind])), name=_tool(item) or kind,
            call=name_of(item.get("call_id")), **common,
        )  # fmt: skip
    elif kind in _OUTPUTS:
        text, failed = _output(item.get("output"))
        yield Event("output", text, call=name_of(item.get("call_id")), failed=failed, **common)
    elif kind == "web_search_call":
        yield Event("call", _input(item.get("action")), name="web_search", **common)
    else:
        yield Event("skipped", "bookkeeping", **common)


def _message(item: dict[str, Any], common: dict[str, Any]) -> Event:
    said = [_part(part) for part in item.get("content") or () if isinstance(part, dict)]
    match item.get("role"):
        case "assistant":
            return Event("reply", "\n".join(said), **common)
        case "user":
            kept = [
                text for text in said if not _CHROME.match(text) and without_wrappers(text).strip()
            ]
            return (
                Event("request", "\n".join(kept), **common)
                if kept
                else Event("skipped", "chrome", **common)
            )
        case _:
            return Event("skipped", "chrome", **common)


def _part(part: dict[str, Any]) -> str:
    if part.get("type") == "input_image":
        return "[image]"
    return text_of(part.get("text"))


def _tool(item: dict[str, Any]) -> str:
    space, name = name_of(item.get("namespace")), name_of(item.get("name"))
    return f"{space}__{name}" if space else name


def _input(value: Any) -> str:
    """A command as it stands, anything else as JSON."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return str(value)
    if isinstance(value, dict):
        command = value.get("cmd") or value.get("command")
        if isinstance(command, list):
            command = " ".join(map(str, command[-1:]))
        if isinstance(command, str):
            return command
    return json.dumps(value, ensure_ascii=False)


def _output(value: Any) -> tuple[str, bool | None]:
    """What a tool gave back, without the client's lines above it, and whether it failed."""
    if isinstance(value, dict):
        success = value.get("success")
        failed = None if success is None else not success
        return text_of(value.get("content")) or json.dumps(value, ensure_ascii=False), failed
    if isinstance(value, list):
        return "\n".join(_part(part) for part in value if isinstance(part, dict)), None
    head, mark, rest = text_of(value).partition("\nOutput:\n")
    if not mark:
        return text_of(value), None
    code = _EXIT.search(head)
    return rest, int(code[1]) != 0 if code else None
