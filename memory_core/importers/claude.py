"""Claude's account export: `memories.json`, or `memories/<id>.json`, in the archive or beside it.

What it says of the user becomes memories; what it says of a project becomes a note.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from memory_core.banks.slug import slug
from memory_core.errors import BadInput
from memory_core.importers.blocks import bare, blocks
from memory_core.importers.files import json_files
from memory_core.importers.piece import Piece, Reading

KIND = "claude"
_KEYS = ("conversations_memory", "project_memories", "memory_files")
_WANTED = re.compile(r"(?:^|/)(?:memories(?:/[^/]+)?|projects(?:/[^/]+)?)\.json$")


def fits(value: Any) -> bool:
    """Whether a JSON value holds Claude's memories."""
    return any(key in row for row in _rows(value) for key in _KEYS)


def wanted(name: str) -> bool:
    """Whether a file of the export is read."""
    return _WANTED.search(name) is not None


def read(path: Path) -> Reading:
    """The memories of an export: an archive, its folder, or the one file.

    Raises `BadInput` for an export without memories, `NotFound`.
    """
    reading, names, held = Reading(KIND), dict[str, str](), list[tuple[str, dict[str, Any]]]()
    for name, value in json_files(path, wanted):
        for row in _rows(value):
            if any(key in row for key in _KEYS):
                held.append((PurePosixPath(name).name, row))
            elif isinstance(row.get("uuid"), str) and row.get("name"):
                names[row["uuid"]] = str(row["name"])
    for name, row in held:
        _read_row(name, row, names, reading)
    if not reading.pieces:
        raise BadInput(
            f"{path} holds no memory of Claude", remedy="memories.json of the account export does"
        )
    return reading


def _read_row(name: str, row: dict[str, Any], names: Mapping[str, str], reading: Reading) -> None:
    reading.pieces += _about_the_user(_text(row.get("conversations_memory")), name)
    projects = row.get("project_memories")
    for project, text in projects.items() if isinstance(projects, dict) else ():
        reading.pieces += _about_a_project(_text(text), name, names.get(project, ""), project)
    files = row.get("memory_files")
    for file in files if isinstance(files, list) else ():
        if isinstance(file, dict):
            shown = f"{name}: {file.get('path') or 'a memory file'}"
            reading.pieces += _about_the_user(_text(file.get("content")), shown)


def _about_the_user(text: str, file: str) -> list[Piece]:
    return [
        Piece(bare(block.text), file, block.line, block.heading, personal=True)
        for block in blocks(text)
    ]


def _about_a_project(text: str, file: str, title: str, project: str) -> list[Piece]:
    title = title or f"project {project[:8]}"
    try:
        note = f"{slug(title)[:56]}.md"
    except BadInput:
        note = f"project-{slug(project)[:8]}.md"
    return [
        Piece(
            block.text,
            file,
            block.line,
            block.heading,
            note=note,
            description=f"{title}: what Claude remembered of the project",
        )
        for block in blocks(text)
    ]


def _rows(value: Any) -> list[dict[str, Any]]:
    rows = value if isinstance(value, list) else [value]
    return [row for row in rows if isinstance(row, dict)]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
