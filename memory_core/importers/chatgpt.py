"""ChatGPT: saved memories as JSON, and what the account export's conversations show of them.

The export has no list of memories. Its conversations hold what was saved when (messages to
`bio`), the list as it was shown to the model, and custom instructions; what was deleted later
cannot be told apart, so the newest list counts where there is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from memory_core.errors import BadInput
from memory_core.importers.files import json_files
from memory_core.importers.pasted import statements
from memory_core.importers.piece import Piece, Reading

KIND = "chatgpt"
_WANTED = re.compile(r"(?:^|/)(?:conversations(?:-\d+)?|memory|memories)\.json$")
_ROW_TEXTS = ("content", "text")
_CONTEXT = ("user_profile", "user_instructions")
DELETED = "ChatGPT's export does not say which saved memories were deleted later: look at each"


@dataclass(slots=True)
class _Seen:
    """What the conversations show, with the moment of each, in seconds."""

    saved: list[tuple[float, str]] = field(default_factory=list)
    listed: tuple[float, str] = (-1.0, "")
    instructions: tuple[float, tuple[str, ...]] = (-1.0, ())


def fits(value: Any) -> bool:
    """Whether a JSON value is ChatGPT's."""
    if isinstance(value, dict):
        value = value.get("memories")
    rows = [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
    return any("mapping" in row or _saved(row) for row in rows)


def wanted(name: str) -> bool:
    """Whether a file of the export is read."""
    return _WANTED.search(name) is not None


def read(path: Path) -> Reading:
    """The memories of an export or of a saved list.

    Raises `BadInput` for a source without memories, `NotFound`.
    """
    reading, seen, shown = Reading(KIND), _Seen(), ""
    for name, value in json_files(path, wanted):
        file = PurePosixPath(name).name
        rows = value.get("memories") if isinstance(value, dict) else value
        for row in rows if isinstance(rows, list) else ():
            if isinstance(row, dict) and isinstance(row.get("mapping"), dict):
                shown = file
                _look(row, seen)
            elif isinstance(row, dict) and (text := _saved(row)):
                reading.pieces.append(Piece(text, file, personal=True))
    reading.pieces += _pieces(seen, shown)
    if seen.saved and not seen.listed[1]:
        reading.notices.append(DELETED)
    if not reading.pieces:
        raise BadInput(
            f"{path} shows no memory of ChatGPT",
            remedy="copy the list from its settings into a text file: --from chatgpt FILE.txt",
        )
    return reading


def _pieces(seen: _Seen, file: str) -> list[Piece]:
    newest, listed = seen.listed
    found = statements(listed, file) if listed else []
    found += [Piece(text, file, personal=True) for at, text in sorted(seen.saved) if at > newest]
    for text in seen.instructions[1]:
        found += statements(text, f"{file}, custom instructions")
    return found


def _saved(row: dict[str, Any]) -> str:
    """The text of a row of a list of memories; "" for one that is switched off."""
    if row.get("enabled") is False or "mapping" in row or "role" in row:
        return ""
    texts = (row.get(name) for name in _ROW_TEXTS)
    return next((text.strip() for text in texts if isinstance(text, str) and text.strip()), "")


def _look(conversation: dict[str, Any], seen: _Seen) -> None:
    if conversation.get("is_do_not_remember") is True:
        return
    for message in _messages(conversation):
        content = message.get("content")
        if not isinstance(content, dict):
            continue
        at = _moment(message.get("create_time")) or _moment(conversation.get("update_time"))
        if message.get("recipient") == "bio":
            parts = content.get("parts")
            text = "\n".join(one for one in parts or () if isinstance(one, str)).strip()
            seen.saved += [(at, line.strip()) for line in text.splitlines() if line.strip()]
        if content.get("content_type") == "model_editable_context":
            listed = str(content.get("model_set_context") or "")
            if listed.strip() and at >= seen.listed[0]:
                seen.listed = (at, listed)
        if content.get("content_type") == "user_editable_context" and at >= seen.instructions[0]:
            texts = tuple(str(content.get(name) or "") for name in _CONTEXT)
            seen.instructions = (at, tuple(text for text in map(_unwrapped, texts) if text))


def _messages(conversation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for node in conversation["mapping"].values():
        message = node.get("message") if isinstance(node, dict) else None
        if isinstance(message, dict):
            yield message


def _unwrapped(text: str) -> str:
    """Custom instructions without the sentence that ChatGPT puts before them, and its fence."""
    found = re.search(r"```\n?(.*?)\n?```", text, re.DOTALL)
    return (found[1] if found else text).strip()


def _moment(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0
