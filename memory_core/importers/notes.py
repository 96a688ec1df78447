"""A folder of notes, one Markdown file each: an agent's memory folder, or any other.

Claude Code's per-project memory is such a folder: topic files with `name`, `description`
and `type` in their front matter, and a MEMORY.md that lists them.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from memory_core.errors import BadInput
from memory_core.importers.blocks import bare, blocks
from memory_core.importers.files import markdown_files, read_text
from memory_core.importers.instructions import note_of
from memory_core.importers.piece import Piece, Reading
from memory_core.text import clean
from memory_core.vault import front_matter

KIND = "notes"
INDEX = "MEMORY.md"
_LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+\.md)(?:#[^)]*)?\)|\[\[([^\]|#\n]+)")
_HEAD = 200_000  # bytes of a transcript that are looked at for its folder


def read(path: Path, scope: str) -> Reading:
    """A piece for every file; the index's own statements become rules of the project.

    Raises `BadInput`, `NotFound`.
    """
    reading = Reading(KIND)
    folder = path if path.is_dir() else path.parent
    files = markdown_files(path) if path.is_dir() else [path]
    if not files:
        raise BadInput(f"{path} holds no Markdown file", remedy="name a folder of notes")
    names = {file.relative_to(folder).as_posix() for file in files}
    listed = 0
    for file in files:
        name, text = file.relative_to(folder).as_posix(), read_text(file)
        if name == INDEX and path.is_dir():
            listed += _read_index(text, names, scope, reading)
        elif blocks(text):
            reading.pieces.append(_piece(name, text))
        else:
            reading.notices.append(f"{name} says nothing; left out")
    if listed:
        reading.notices.append(f"{INDEX}: {listed} line(s) left out, they only list the notes")
    return reading


def project_of(folder: Path) -> str:
    """The project folder of a Claude Code memory folder, as its transcripts name it; or ""."""
    if folder.name != "memory":
        return ""
    for transcript in sorted(folder.parent.glob("*.jsonl")):
        try:
            with transcript.open("rb") as stream:
                head = stream.read(_HEAD).decode("utf-8", "replace")
        except OSError:
            continue
        if found := re.search(r'"cwd":\s*("(?:[^"\\]|\\.)+")', head):
            try:
                return str(json.loads(found[1]))
            except ValueError:
                continue
    return ""


def _read_index(text: str, names: set[str], scope: str, reading: Reading) -> int:
    """Add what the index says besides the list of its notes; how many lines only list."""
    listed = 0
    for block in blocks(text):
        links = [(one or f"{two}.md").removeprefix("./") for one, two in _LINK.findall(block.text)]
        if any(link in names for link in links):
            listed += 1
            continue
        reading.pieces.append(
            Piece(
                block.text,
                INDEX,
                block.line,
                block.heading,
                note=note_of(scope),
                description=f"Rules imported from {INDEX}",
            )
        )
    return listed


def _piece(name: str, text: str) -> Piece:
    matter = front_matter.read(text)
    values = matter.values
    if _type(values) == "user":
        body = clean(text[matter.end :]).strip()
        return Piece(
            bare(body) if len(blocks(body)) == 1 else body, name, personal=True,
            key=Path(name).stem, description=str(values.get("description") or ""),
        )  # fmt: skip
    return Piece(text, name, note=name, whole=True)


def _type(values: dict[str, Any]) -> str:
    """What Claude Code says a memory is about: user, feedback, project or reference."""
    held = values.get("metadata")
    inner = held.get("type") if isinstance(held, dict) else ""
    return str(values.get("type") or inner or "")
