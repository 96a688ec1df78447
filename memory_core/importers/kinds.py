"""What a path is: one of the kinds that can be imported, found by name and by content."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memory_core.errors import BadInput, NotFound
from memory_core.importers import chatgpt, claude, instructions, mem0, notes, pasted
from memory_core.importers.files import is_zip, json_files, markdown_files, read_text
from memory_core.importers.piece import Reading
from memory_core.vault import front_matter

VAULT = "vault"
EXPORT = "wellkept"
KINDS = (instructions.KIND, notes.KIND, VAULT, mem0.KIND, chatgpt.KIND, claude.KIND, EXPORT)
_KNOWN = f"say what it is: --from {'|'.join(KINDS)}"
_READ = 200  # files of a folder that are opened to see whose it is


def kind_of(path: Path) -> str:
    """The kind of a file or a folder.

    Raises `NotFound`, and `BadInput` that names the known kinds.
    """
    if not path.exists():
        raise NotFound(f"there is no {path}", remedy="name a file or a folder")
    found = _of_folder(path) if path.is_dir() else _of_file(path)
    if not found:
        raise BadInput(f"{path} is nothing that is known here", remedy=_KNOWN)
    return found


def check_kind(kind: str) -> str:
    """The kind that a person named; raises `BadInput` for another word."""
    if kind not in KINDS:
        raise BadInput(f"there is no kind {kind!r}", remedy=_KNOWN)
    return kind


def read(path: Path, kind: str, *, scope: str, whose: str = "") -> Reading:
    """Everything that a source of that kind says; raises `BadInput`, `NotFound`."""
    if kind == instructions.KIND:
        return instructions.read(path, scope)
    if kind in (notes.KIND, VAULT):
        return notes.read(path, scope)
    if kind == mem0.KIND:
        return mem0.read(path, whose)
    if path.suffix.lower() not in (".json", ".zip") and path.is_file() and not is_zip(path):
        return pasted.read(path, kind)
    return claude.read(path) if kind == claude.KIND else chatgpt.read(path)


def flavour(folder: Path) -> str:
    """Whose folder of notes it is, in words."""
    if (folder / ".obsidian").is_dir():
        return "an Obsidian vault"
    return "a basic-memory folder" if _basic_memory(folder) else "a folder of notes"


def _of_folder(path: Path) -> str:
    if (path / "manifest.json").is_file() and (path / "tables").is_dir():
        return EXPORT
    if (path / ".obsidian").is_dir():
        return VAULT
    if any((path / name).is_file() for name in instructions.NAMES if name != notes.INDEX):
        return instructions.KIND
    if (path / notes.INDEX).is_file() or path.name == "memory":
        return notes.KIND
    if found := _of_json(path):
        return found
    return VAULT if markdown_files(path) else ""


def _of_file(path: Path) -> str:
    if instructions.named(path):
        return instructions.KIND
    if path.suffix.lower() == ".json" or is_zip(path):
        found = _of_json(path)
        if not found:
            raise BadInput(
                f"{path} holds no memories of a kind that is known here"
                " (a conversations.json of Claude holds none, its memories.json does)",
                remedy=_KNOWN,
            )
        return found
    text = read_text(path)  # which names what is binary or too big
    return notes.KIND if path.suffix.lower() == ".md" and text.strip() else ""


def _of_json(path: Path) -> str:
    def wanted(name: str) -> bool:
        return claude.wanted(name) or chatgpt.wanted(name)

    return next((kind for _, value in json_files(path, wanted) if (kind := _shape(value))), "")


def _shape(value: Any) -> str:
    for kind, fits in ((claude.KIND, claude.fits), (mem0.KIND, mem0.fits)):
        if fits(value):
            return kind
    return chatgpt.KIND if chatgpt.fits(value) else ""


def _basic_memory(folder: Path) -> bool:
    """Whether its notes have the permalinks that basic-memory writes."""
    for file in markdown_files(folder)[:_READ]:
        try:
            if "permalink" in front_matter.read(read_text(file)).values:
                return True
        except (BadInput, NotFound):
            continue
    return False
