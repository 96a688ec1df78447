"""Claude Code: at `Stop` whatever is printed makes the model go on; nothing is printed there."""

from __future__ import annotations

from memory_core.hooks.clients import CLAUDE_CODE
from memory_core.hooks.clients.form import Form

FORM = Form(
    CLAUDE_CODE,
    {
        "front": "UserPromptSubmit",
        "back": "Stop",
        "session-start": "SessionStart",
        "session-end": "SessionEnd",
    },
    turn="prompt_id",
    reply="last_assistant_message",
)
