"""The plugin folder that Claude Code and Codex share: same events, same output.

Codex names its turns and keeps its sessions in files called `rollout-...`.
"""

from __future__ import annotations

from typing import Any

from memory_core.hooks.clients import claude_code, codex
from memory_core.hooks.clients.form import Form, text
from memory_core.hooks.payload import Payload


class _Form(Form):
    def parse(self, event: str, document: dict[str, Any]) -> Payload | None:
        file = text(document, "transcript_path").rpartition("/")[2]
        is_codex = "turn_id" in document or file.startswith("rollout-")
        if is_codex:
            return codex.FORM.parse(event, document)
        return claude_code.FORM.parse(event, document)


FORM = _Form("plugin", claude_code.FORM.events, turn="", reply="")
