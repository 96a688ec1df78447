"""The back hook: a turn ended; leaves a pointer to it and starts the capture process."""

from __future__ import annotations

from typing import Any

from memory_core.hooks import capturing, spool
from memory_core.hooks.payload import Payload

_VALUE = 500  # characters of a value that the name before it may make a secret


def run(payload: Payload) -> None:
    """Return as soon as the pointer is written; raises `OSError` when it cannot be."""
    if not payload.session:
        return
    if payload.rows:
        payload.transcript = spool.put_rows(_redacted(payload.rows))
    event = pointer("back", payload)
    durable = bool(payload.reply) and not _readable(payload.transcript)
    if durable:
        from memory_core import redaction

        event["reply"] = redaction.redacted(payload.reply)
    spool.put(event, durable=durable)
    spool.closed(payload.session)
    capturing.start()


def pointer(event: str, payload: Payload) -> dict[str, Any]:
    """What the capture process needs to find a session's words."""
    import time

    return {
        "event": event,
        "client": payload.client,
        "session": payload.session,
        "transcript": payload.transcript,
        "cwd": payload.cwd,
        "turn": payload.turn,
        "reason": payload.reason,
        "at": time.time(),
    }


def _redacted(value: Any, key: str = "") -> Any:
    """A message without secrets; names and what is no text stay as they are."""
    from memory_core import redaction

    if isinstance(value, str):
        named = f"{key}={value}" if key and len(value) <= _VALUE and "\n" not in value else ""
        if named and (read := redaction.redacted(named)) != named and read.startswith(f"{key}="):
            return read[len(key) + 1 :]
        return redaction.redacted(value)
    if isinstance(value, list):
        return [_redacted(one) for one in value]
    if isinstance(value, dict):
        return {
            name: one if name == "id" or str(name).endswith("ID") else _redacted(one, str(name))
            for name, one in value.items()
        }
    return value


def _readable(transcript: str) -> bool:
    import os

    try:
        return (
            bool(transcript) and os.access(transcript, os.R_OK) and os.stat(transcript).st_size > 0
        )
    except (OSError, ValueError):
        return False
