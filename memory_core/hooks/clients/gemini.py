"""Gemini CLI: plain text would be shown to the user, and a turn has no id but its moment."""

from __future__ import annotations

from memory_core.hooks.clients import GEMINI
from memory_core.hooks.clients.form import Form

FORM = Form(
    GEMINI,
    {
        "front": "BeforeAgent",
        "back": "AfterAgent",
        "session-start": "SessionStart",
        "session-end": "SessionEnd",
    },
    turn="timestamp",
    reply="prompt_response",
)
