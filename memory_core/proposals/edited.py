"""The text that an item writes: cleaned, within its cap and free of secrets."""

from __future__ import annotations

from typing import Any

from memory_core.banks.caps import CONTENT, check_length
from memory_core.errors import BadInput
from memory_core.proposals import field, question_lines
from memory_core.proposals.closing import closed
from memory_core.redaction import kinds
from memory_core.settings import Settings
from memory_core.text import clean, without_surrogates

POINT = 4000  # characters of a point
NOTE = 20_000  # characters of a whole new note
WRITES = ("add", "revise", "merge")


def edited(item: Any, text: str, settings: Settings | None = None) -> str:
    """A person's own text for an item.

    Raises `BadInput` for an item that writes none, an empty text or one that holds a
    secret, and `FieldTooLong`.
    """
    if reason := fixed(item):
        raise BadInput(reason, remedy="leave its edit out")
    name = f"item {item.number}"
    if of_field := item.detail.get("field"):
        text = field.written(str(of_field), clean(text).strip())
    return written(name, item, text, settings)


def fixed(item: Any) -> str:
    """Why an item has no text that a person could edit; "" where it has one."""
    if item.action not in WRITES:
        return f"a {item.action} writes no text of its own"
    return "a link is mended everywhere alike" if item.detail.get("link") else ""


def written(name: str, item: Any, text: str, settings: Settings | None = None) -> str:
    """A text as an item may write it; raises as `edited`."""
    raw, text = text, clean(text).strip("\n")
    if not text.strip():
        raise BadInput(f"the text of {name} is empty", remedy="write it, or leave the item out")
    if item.kind == "question":
        return _question(item, raw)
    cap = NOTE if item.action == "add" else POINT
    if item.kind == "memory":
        text, cap = text.strip(), settings.content_cap if settings else CONTENT
    check_length(f"the text of {name}", text, cap)
    if of_field := item.detail.get("field"):
        field.parsed(str(of_field), text)
    elif item.kind != "memory":
        text = closed(text, item.before)
    _refuse_secrets(name, text)
    return text


def _question(item: Any, text: str) -> str:
    """A line of the working set; it keeps what does not show, as its note may have it too."""
    line = without_surrogates(text).strip("\r\n")
    fresh = question_lines.checked(line)
    if item.action == "revise" and fresh.id != question_lines.checked(item.before).id:
        raise BadInput("a question keeps its id", remedy="retire it and add another")
    _refuse_secrets(f"the question {fresh.id}", line)
    return line


def _refuse_secrets(name: str, text: str) -> None:
    if held := kinds(text):
        raise BadInput(
            f"the text of {name} holds what looks like a secret ({', '.join(held)})",
            remedy="leave the secret out and write down where it is kept",
        )
