"""The manifest of an export: what it holds, by count and by hash, and of which schema."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from memory_core.errors import BadInput
from memory_core.store import migrate

NAME = "manifest.json"
FORMAT = "wellkept-export"
VERSION = 1
_REMEDY = "export again"


@dataclass(slots=True)
class Manifest:
    """`files` maps a name, with forward slashes, to the SHA-256 of its bytes."""

    made_at: str
    schema: str
    always_loaded: str
    record: bool
    counts: dict[str, int] = field(default_factory=dict)
    notes: int = 0
    files: dict[str, str] = field(default_factory=dict)

    def written(self) -> str:
        """The text of the file."""
        head = {"format": FORMAT, "version": VERSION}
        return json.dumps(head | asdict(self), ensure_ascii=False, indent=2) + "\n"


def load(folder: Path) -> Manifest:
    """The manifest of an export whose files are all there and as they were written.

    Raises `BadInput` that says what is wrong.
    """
    try:
        value = json.loads((folder / NAME).read_text("utf-8"))
        if not isinstance(value, dict) or value.pop("format", "") != FORMAT:
            raise BadInput(f"{folder} is no export of wellkept", remedy="name its folder")
        version = value.pop("version", 0)
        if version != VERSION:
            raise BadInput(
                f"{folder} is an export of version {version!r}, this is {VERSION}",
                remedy="use a newer wellkept",
            )
        manifest = Manifest(**value)
    except (OSError, ValueError, TypeError) as error:
        raise BadInput(f"{folder / NAME} cannot be read: {error}", remedy=_REMEDY) from None
    if manifest.schema > migrate.newest():
        raise BadInput(
            f"{folder} was made by a newer wellkept (schema {manifest.schema})",
            remedy="install that version or a later one",
        )
    _check_files(folder, manifest.files)
    return manifest


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _check_files(folder: Path, files: Any) -> None:
    for name, wanted in files.items():
        parts = PurePosixPath(name)
        if parts.is_absolute() or ".." in parts.parts:
            raise BadInput(f"{folder / NAME} names {name!r}, outside of the folder")
        path = folder / name
        if path.is_symlink() or not path.is_file():
            raise BadInput(f"{path} is missing", remedy=_REMEDY)
        if digest(path) != wanted:
            raise BadInput(f"{path} was changed since it was exported", remedy=_REMEDY)
