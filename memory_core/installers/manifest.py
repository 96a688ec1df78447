"""What an installation did, so that it can be undone to the byte: under `WELLKEPT_HOME/install`.

A file as it was before us is kept beside the manifest, named by its content.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from memory_core import paths
from memory_core.errors import SettingsError
from memory_core.installers.change import Change, read


@dataclass(frozen=True, slots=True)
class Kept:
    """A file that was changed: SHA-256 before ("" for no file) and after."""

    file: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """One client's installation; `folders` were made for it, `how` is `files` or `plugin`."""

    client: str
    version: str
    how: str = "files"
    files: list[Kept] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)

    def of(self, file: Path) -> Kept | None:
        """What was done to a file."""
        return next((kept for kept in self.files if kept.file == os.fspath(file)), None)

    def write(self) -> Change:
        """The change that stores it."""
        text = json.dumps(asdict(self), ensure_ascii=False, indent=2) + "\n"
        file = _file(self.client)
        return Change(file, read(file), text.encode("utf-8", "surrogateescape"))


def folder() -> Path:
    """Where manifests and backups lie."""
    return paths.home().absolute() / "install"


def load(client: str) -> Manifest | None:
    """A client's manifest, None where there is none; raises `SettingsError` for a damaged one."""
    content = read(_file(client))
    if content is None:
        return None
    try:
        held: dict[str, Any] = json.loads(content)
        held["files"] = [Kept(**kept) for kept in held["files"]]
        return Manifest(**held)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise SettingsError(
            f"{_file(client)} is damaged", remedy="remove it: ours is then found by its commands"
        ) from None


def installed() -> list[str]:
    """Clients that have a manifest."""
    return sorted(file.stem for file in folder().glob("*.json"))


def removal(client: str) -> list[Change]:
    """The changes that remove a manifest, and backups that no other one names."""
    named = {
        kept.before
        for other in installed()
        if other != client and (held := load(other))
        for kept in held.files
    }
    unused = [file for file in (folder() / "before").glob("*") if file.name not in named]
    return [Change(file, read(file), None) for file in (*unused, _file(client))]


def digest(content: bytes | None) -> str:
    """A content's name, "" for no file."""
    return "" if content is None else hashlib.sha256(content).hexdigest()


def backup(content: bytes) -> Change:
    """The change that keeps a content."""
    file = _backup(digest(content))
    return Change(file, read(file), content)


def kept(before: str) -> bytes | None:
    """A kept content; None where there was no file or the backup is gone."""
    content = read(_backup(before)) if before else None
    return content if content is not None and digest(content) == before else None


def _backup(name: str) -> Path:
    return folder() / "before" / name


def _file(client: str) -> Path:
    return folder() / f"{client}.json"
