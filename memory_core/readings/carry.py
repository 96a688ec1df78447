"""What memory costs to carry: the text that every session of an agent begins with.

Tokens are estimated without a tokenizer (`text.estimated_tokens`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memory_core.banks.banks import Banks
from memory_core.banks.context import Context
from memory_core.banks.digest import digest
from memory_core.settings import Settings
from memory_core.text import estimated_tokens
from memory_core.vault.always_loaded import state


def always_loaded(settings: Settings) -> dict[str, Any]:
    """`{file, exists, characters, tokens, cap, problem}`; empty without a vault."""
    if settings.vault is None:
        return {}
    found = state(settings.vault, settings.always_loaded, settings.always_loaded_cap)
    tokens = estimated_tokens(_text(settings.vault / found.file)) if found.characters else 0
    return {
        "file": found.file, "exists": found.exists, "characters": found.characters,
        "tokens": tokens, "cap": found.cap, "problem": found.problem,
    }  # fmt: skip


def standing_index(banks: Banks, context: Context) -> dict[str, Any]:
    """`{lines, characters, tokens}` of the digest as a hook sends it.

    Raises `DigestUnavailable`.
    """
    found = digest(banks, context)
    section = found.shortened()
    return {
        "lines": len(found.lines), "characters": len(section), "tokens": estimated_tokens(section),
    }  # fmt: skip


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except OSError:
        return ""
