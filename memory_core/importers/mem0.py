"""mem0: the answer of `get_all`, or an export, saved as JSON; of one user at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memory_core.errors import BadInput
from memory_core.importers.files import json_files
from memory_core.importers.piece import Piece, Reading

KIND = "mem0"
_LISTS = ("results", "memories")


def fits(value: Any) -> bool:
    """Whether a JSON value is mem0's."""
    return any("memory" in row for row in _rows(value))


def read(path: Path, whose: str = "") -> Reading:
    """The memories; `whose` is the `user_id` to take where there are several.

    Raises `BadInput` for a file without memories, or one of several users.
    """
    reading, users = Reading(KIND), Counter[str]()
    found: list[tuple[str, Piece]] = []
    for name, value in json_files(path, lambda _: True):
        for row in _rows(value):
            text = row.get("memory")
            if isinstance(text, str) and text.strip():
                user = str(row.get("user_id") or "")
                users[user] += 1
                found.append((user, Piece(text, Path(name).name, personal=True)))
    if not found:
        raise BadInput(
            f"{path} holds no memory of mem0", remedy='it has rows like {"memory": "..."}'
        )
    if whose and whose not in users:
        raise BadInput(f"{path} holds nothing of {whose!r}", remedy=_choose(users))
    if not whose and len(users) > 1:
        raise BadInput(f"{path} holds memories of {len(users)} users", remedy=_choose(users))
    reading.pieces = [piece for user, piece in found if not whose or user == whose]
    return reading


def _choose(users: Counter[str]) -> str:
    named = ", ".join(f"--of {user or '(nobody)'}" for user, _ in users.most_common(5) if user)
    return f"name one: {named}"


def _rows(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        lists = [value[name] for name in _LISTS if isinstance(value.get(name), list)]
        value = [row for rows in lists for row in rows] if lists else [value]
    for row in value if isinstance(value, list) else ():
        if isinstance(row, dict):
            yield row
