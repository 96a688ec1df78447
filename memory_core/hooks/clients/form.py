"""A client's form: what it calls its events, where its payload keeps what, what it honours.

All four read `hookSpecificOutput.additionalContext` at the two events where a model may
be told something. At the other two whatever is printed is taken for something else, so
nothing is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memory_core.hooks.payload import Payload, Unreadable

_INJECTED = ("front", "session-start")


class Form:
    """`events` maps our events to the client's; `turn` and `reply` name fields of its payload."""

    def __init__(self, client: str, events: Mapping[str, str], *, turn: str, reply: str) -> None:
        self.client, self.events = client, events
        self._turn, self._reply = turn, reply

    def parse(self, event: str, document: dict[str, Any]) -> Payload | None:
        """The payload, or None when the document belongs to another event or to a subagent.

        Raises `Unreadable` when a field that the event must have is missing or of another
        type.
        """
        if document.get("hook_event_name", self.events[event]) != self.events[event]:
            return None
        if text(document, "agent_id"):
            return None
        prompt = document.get("prompt", "" if event != "front" else None)
        if not isinstance(prompt, str):
            raise Unreadable("the client sent no prompt")
        return Payload(
            session=text(document, "session_id"),
            cwd=text(document, "cwd"),
            prompt=prompt,
            source=text(document, "source"),
            transcript=text(document, "transcript_path"),
            turn=text(document, self._turn),
            reply=text(document, self._reply),
            reason=text(document, "reason"),
            client=self.client,
        )

    def injection(self, event: str, said: str) -> bytes:
        """The document to print so that the model reads `said`; empty for an empty text."""
        if not said or event not in _INJECTED:
            return b""
        output = {"hookEventName": self.events[event], "additionalContext": said}
        document = json.dumps({"hookSpecificOutput": output}, ensure_ascii=False)
        return document.encode("utf-8", "replace")


def text(document: dict[str, Any], key: str) -> str:
    """A field that is a text, or nothing."""
    value = document.get(key)
    return value if isinstance(value, str) else ""
