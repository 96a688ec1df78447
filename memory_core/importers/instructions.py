"""Files of standing instructions: CLAUDE.md, AGENTS.md, GEMINI.md, MEMORY.md.

In a client's own folder they hold for every project and belong to the always-loaded file;
in a project they become a note of that project.
"""

from __future__ import annotations

import re
from pathlib import Path

from memory_core.banks.slug import slug
from memory_core.errors import BadInput
from memory_core.importers.blocks import Block, blocks
from memory_core.importers.files import read_text
from memory_core.importers.piece import Piece, Reading

NAMES = (
    "CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "AGENTS.md", "AGENTS.override.md",
    "GEMINI.md", "MEMORY.md",
)  # fmt: skip
KIND = "instructions"
RULES = "rules.md"  # where rules of every project go that the always-loaded file has no room for
_CLIENTS = (".claude", ".codex", ".gemini", ".config/opencode", "")  # below the user's home
_ABOUT_ME = "gemini added memories"  # the section that Gemini CLI's save_memory writes
_NUMBER = re.compile(r"(?<=.)-[0-9a-f]{16}$")  # of a repository without an origin
_IMPORT = re.compile(r"@(?:[~./\w-]+)")


def named(path: Path) -> bool:
    """Whether a file has the name of an instructions file."""
    return path.name in {Path(name).name for name in NAMES}


def everywhere(folder: Path) -> bool:
    """Whether instructions in this folder hold for every project of the user."""
    home = Path.home()
    return any(folder == (home / name).resolve() for name in _CLIENTS)


def read(path: Path, scope: str) -> Reading:
    """The statements of one file, or of those that lie in a folder.

    A `scope` names the project; with "" they hold everywhere. Raises `BadInput`, `NotFound`.
    """
    reading = Reading(KIND)
    files = [path / name for name in NAMES if (path / name).is_file()] if path.is_dir() else [path]
    if not files:
        raise BadInput(f"{path} holds none of {', '.join(NAMES)}", remedy="name one file")
    seen: set[Path] = set()
    for file in files:
        if (real := file.resolve()) in seen:  # AGENTS.md is often a link to CLAUDE.md
            continue
        seen.add(real)
        shown = file.relative_to(path).as_posix() if path.is_dir() else file.name
        _read_one(read_text(file), shown, scope, reading)
    return reading


def note_of(scope: str) -> str:
    """The file of a project's rules; "" for rules of every project."""
    if not scope:
        return ""
    try:
        return f"{slug(_name(scope))[:50]}-{RULES}"
    except BadInput:
        return RULES


def _name(scope: str) -> str:
    """A project's name as people know it, without the number that tells it apart."""
    return _NUMBER.sub("", Path(scope).name)


def _read_one(text: str, shown: str, scope: str, reading: Reading) -> None:
    note, imports = note_of(scope), []
    for block in blocks(text):
        if _IMPORT.fullmatch(block.text.strip()):
            imports.append(block.text.strip())
            continue
        reading.pieces.append(_piece(block, shown, note, scope))
    if imports:
        reading.notices.append(
            f"{shown} refers to {', '.join(imports[:5])}: not followed, import it by itself"
        )


def _piece(block: Block, shown: str, note: str, scope: str) -> Piece:
    if block.heading.casefold() == _ABOUT_ME:
        return Piece(block.text, shown, block.line, personal=True)
    project = _name(scope) if scope else "every project"
    return Piece(
        block.text, shown, block.line, block.heading, note=note,
        description=f"Rules of {project}, imported from {shown}",
    )  # fmt: skip
