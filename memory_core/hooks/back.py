"""The back hook: a turn ended; leaves a pointer to it and starts the capture process."""

from __future__ import annotations

from typing import Any

from memory_core.hooks import capturing, spool
from memory_core.hooks.payload import Payload


def run(payload: Payload, client: str) -> None:
    """Return as soon as the pointer is written; raises `OSError` when it cannot be."""
    if not payload.session:
        return
    event = pointer("back", payload, client)
    durable = bool(payload.reply) and not _readable(payload.transcript)
    if durable:
        from memory_core import redaction

        event["reply"] = redaction.redacted(payload.reply)
    spool.put(event, durable=durable)
    spool.closed(payload.session)
    capturing.start()


def pointer(event: str, payload: Payload, client: str) -> dict[str, Any]:
    """What the capture process needs to find a session's words."""
    import time

    return {
        "event": event,
        "client": client,
        "session": payload.session,
        "transcript": payload.transcript,
        "cwd": payload.cwd,
        "turn": payload.turn,
        "reason": payload.reason,
        "at": time.time(),
    }


def _readable(transcript: str) -> bool:
    import os

    try:
        return (
            bool(transcript) and os.access(transcript, os.R_OK) and os.stat(transcript).st_size > 0
        )
    except (OSError, ValueError):
        return False
