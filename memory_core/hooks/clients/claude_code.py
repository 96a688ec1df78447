"""Claude Code: hook payloads in, `additionalContext` out.

It honours `hookSpecificOutput.additionalContext` of `UserPromptSubmit` and `SessionStart`;
at `Stop` whatever is printed makes the model go on, and at `SessionEnd` nothing is read.
"""

from __future__ import annotations

import json
from typing import Any

from memory_core.hooks.payload import Payload, Unreadable

NAME = "claude-code"
EVENTS = {
    "front": "UserPromptSubmit",
    "back": "Stop",
    "session-start": "SessionStart",
    "session-end": "SessionEnd",
}
_INJECTED = ("front", "session-start")


def parse(event: str, document: dict[str, Any]) -> Payload | None:
    """The payload, or None when the document belongs to another event.

    Raises `Unreadable` when a field that the event must have is missing or of another type.
    """
    if document.get("hook_event_name", EVENTS[event]) != EVENTS[event]:
        return None
    prompt = document.get("prompt", "" if event != "front" else None)
    if not isinstance(prompt, str):
        raise Unreadable("the client sent no prompt")
    return Payload(
        session=_text(document, "session_id"),
        cwd=_text(document, "cwd"),
        prompt=prompt,
        source=_text(document, "source"),
        transcript=_text(document, "transcript_path"),
        turn=_text(document, "prompt_id"),
        reply=_text(document, "last_assistant_message"),
        reason=_text(document, "reason"),
    )


def injection(event: str, text: str) -> bytes:
    """The document to print so that the model reads `text`; empty for an empty text."""
    if not text or event not in _INJECTED:
        return b""
    output = {"hookEventName": EVENTS[event], "additionalContext": text}
    return json.dumps({"hookSpecificOutput": output}, ensure_ascii=False).encode("utf-8", "replace")


def _text(document: dict[str, Any], key: str) -> str:
    value = document.get(key)
    return value if isinstance(value, str) else ""
