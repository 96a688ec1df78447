"""Notes at a prompt that a turn began, so that one without an end is found later."""

from __future__ import annotations

from memory_core.hooks import back, capturing, spool
from memory_core.hooks.payload import Payload


def begun(payload: Payload) -> None:
    """Note the turn; when the one before never ended, have it stored now."""
    if payload.session and spool.opened(payload.session, back.pointer("front", payload)):
        capturing.start()


def looked_for() -> None:
    """At a session's start: have stored what earlier sessions left behind."""
    if spool.names(spool.OPEN) or spool.names():
        capturing.start()
