"""What a client hands to a hook on standard input."""

from __future__ import annotations

import json
import os
from typing import Any

STDIN_BYTES = 16 * 1024 * 1024


class Unreadable(Exception):
    """The input is no payload; the message is the reason in a few words."""


class Payload:
    """One event of one session, in the terms all clients share.

    `source` says why a session started (startup, resume, clear, compact, fork), `reason`
    why it ended. `transcript` is the client's own file of the session, `turn` its id of the
    turn, `reply` the agent's last words in it. `rows` are the messages of a turn where the
    client has no such file.
    """

    __slots__ = (
        "client", "cwd", "prompt", "reason", "reply", "rows", "session", "source", "transcript",
        "turn",
    )  # fmt: skip

    def __init__(
        self,
        session: str,
        cwd: str,
        prompt: str = "",
        source: str = "",
        *,
        transcript: str = "",
        turn: str = "",
        reply: str = "",
        reason: str = "",
        client: str = "",
    ) -> None:
        self.session, self.cwd, self.prompt, self.source = session, cwd, prompt, source
        self.transcript, self.turn, self.reply, self.reason = transcript, turn, reply, reason
        self.client = client
        self.rows: list[dict[str, Any]] = []


def read() -> dict[str, Any]:
    """The JSON object on standard input; raises `Unreadable` with the reason."""
    try:
        document = json.loads(_bytes().decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        raise Unreadable("the client sent no valid JSON") from None
    except OSError:
        raise Unreadable("the client sent nothing") from None
    if not isinstance(document, dict):
        raise Unreadable("the client sent no JSON object")
    return document


def _bytes() -> bytes:
    parts, size = [], 0
    while part := os.read(0, 1024 * 1024):
        parts.append(part)
        size += len(part)
        if size > STDIN_BYTES:
            raise Unreadable(f"the request is larger than {STDIN_BYTES // 1024 // 1024} MB")
    if not size:
        raise Unreadable("the client sent nothing")
    return b"".join(parts)
