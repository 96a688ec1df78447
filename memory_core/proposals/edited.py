"""The text that an item writes: cleaned, within its cap and free of secrets."""

from __future__ import annotations

from typing import Any

from memory_core.banks.caps import CONTENT, check_length
from memory_core.errors import BadInput
from memory_core.redaction import kinds
from memory_core.settings import Settings
from memory_core.text import clean

POINT = 4000  # characters of a point
NOTE = 20_000  # characters of a whole new note
WRITES = ("add", "revise", "merge")


def edited(item: Any, text: str, settings: Settings | None = None) -> str:
    """A person's own text for an item.

    Raises `BadInput` for an item that writes none, an empty text or one that holds a
    secret, and `FieldTooLong`.
    """
    if item.action not in WRITES:
        raise BadInput(f"a {item.action} has no text to edit", remedy="leave its edit out")
    return written(f"item {item.number}", item, text, settings)


def written(name: str, item: Any, text: str, settings: Settings | None = None) -> str:
    """A text as an item may write it; raises as `edited`."""
    text = clean(text).strip("\n")
    if not text.strip():
        raise BadInput(f"the text of {name} is empty", remedy="write it, or leave the item out")
    cap = NOTE if item.action == "add" else POINT
    if item.kind == "memory":
        text, cap = text.strip(), settings.content_cap if settings else CONTENT
    check_length(f"the text of {name}", text, cap)
    if held := kinds(text):
        raise BadInput(
            f"the text of {name} holds what looks like a secret ({', '.join(held)})",
            remedy="leave the secret out and write down where it is kept",
        )
    return text
