"""Codex: a key that it does not know makes it refuse a whole output; ours has two it knows."""

from __future__ import annotations

from memory_core.hooks.clients import CODEX
from memory_core.hooks.clients.form import Form

FORM = Form(
    CODEX,
    {
        "front": "UserPromptSubmit",
        "back": "Stop",
        "session-start": "SessionStart",
        "session-end": "SessionEnd",
    },
    turn="turn_id",
    reply="last_assistant_message",
)
