"""One adapter a client: its payload in, its injection format out; standard library only.

`adapter(name)` loads the one that a hook needs and no other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory_core.hooks.clients.form import Form

CLAUDE_CODE, CODEX, GEMINI, OPENCODE = NAMES = ("claude-code", "codex", "gemini", "opencode")
PLUGIN = "plugin"  # one folder of hooks for Claude Code and Codex: the payload tells which it is


def adapter(name: str) -> Form | None:
    """The form of a client, or None for a name that is none of ours."""
    if name == CLAUDE_CODE:
        from memory_core.hooks.clients.claude_code import FORM
    elif name == CODEX:
        from memory_core.hooks.clients.codex import FORM
    elif name == GEMINI:
        from memory_core.hooks.clients.gemini import FORM
    elif name == OPENCODE:
        from memory_core.hooks.clients.opencode import FORM
    elif name == PLUGIN:
        from memory_core.hooks.clients.plugin import FORM
    else:
        return None
    return FORM
