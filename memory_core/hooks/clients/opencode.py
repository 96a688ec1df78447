"""OpenCode: our plugin there (deployments/opencode) sends the payload and reads the output.

Its sessions lie in a database of its own, so the plugin hands the finished messages of a
turn over: `messages`, as the client's `session.messages` returns them.
"""

from __future__ import annotations

from typing import Any

from memory_core.hooks.clients import OPENCODE
from memory_core.hooks.clients.form import Form
from memory_core.hooks.payload import Payload


class _Form(Form):
    def parse(self, event: str, document: dict[str, Any]) -> Payload | None:
        payload = super().parse(event, document)
        given = document.get("messages")
        if payload is not None and isinstance(given, list):
            payload.rows = [message for message in given if isinstance(message, dict)]
        return payload


FORM = _Form(
    OPENCODE,
    {
        "front": "chat.message",
        "back": "session.idle",
        "session-start": "session.created",
        "session-end": "dispose",
    },
    turn="message_id",
    reply="reply",
)
