"""A file of the vault as it is at one moment, byte for byte.

Text is decoded so that broken bytes survive the way back (`surrogateescape`); nothing is
normalized, neither line ends nor a byte order mark.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from memory_core.errors import BadInput, VaultError
from memory_core.vault.listing import is_note
from memory_core.vault.question import WORKING_SET

OWN = PurePosixPath(WORKING_SET).parts[0]


@dataclass(frozen=True)
class Snapshot:
    """The content of a file; None where there is no file."""

    data: bytes | None

    @classmethod
    def of(cls, text: str) -> Snapshot:
        """The snapshot of a text that `text` gave."""
        return cls(text.encode("utf-8", "surrogateescape"))

    @cached_property
    def sha256(self) -> str:
        """The content's hash; "" where there is no file."""
        return "" if self.data is None else hashlib.sha256(self.data).hexdigest()

    @cached_property
    def text(self) -> str:
        """The content as text; "" where there is no file."""
        return "" if self.data is None else self.data.decode("utf-8", "surrogateescape")

    def as_json(self) -> dict[str, Any] | None:
        """As the ledger and the outbox keep it: the whole text, base64 where it is no UTF-8."""
        if self.data is None:
            return None
        try:
            return {"text": self.data.decode("utf-8"), "sha256": self.sha256}
        except UnicodeDecodeError:
            return {"base64": base64.b64encode(self.data).decode(), "sha256": self.sha256}


MISSING = Snapshot(None)


def restored(kept: Mapping[str, Any] | None) -> Snapshot:
    """The snapshot that `as_json` kept."""
    if kept is None:
        return MISSING
    if "base64" in kept:
        return Snapshot(base64.b64decode(kept["base64"]))
    return Snapshot(str(kept["text"]).encode("utf-8"))


def read(root: Path, file: str, always_loaded: str = "") -> Snapshot:
    """The file as it is now.

    Raises `BadInput` for a path that is no note's (see `place`) and `VaultError` for a file
    that cannot be read.
    """
    try:
        return Snapshot(place(root, file, always_loaded).read_bytes())
    except FileNotFoundError:
        return MISSING
    except NotADirectoryError:  # nothing is there, and nothing can be put there
        raise VaultError(
            f"{file} would lie below a file", remedy="take the file of its folder's name away"
        ) from None
    except OSError as error:
        raise VaultError(
            f"{file} cannot be read: {error.strerror}", remedy="make it a readable file"
        ) from None


def place(root: Path, file: str, always_loaded: str = "") -> Path:
    """Where a note's file is or would be; links inside the vault are resolved.

    Of what is Wellkept's own the working set alone has a place, and only as itself. Raises
    `BadInput` for a path that leaves the vault, is hidden or no Markdown file.
    """
    if file != WORKING_SET:
        check_name(file, always_loaded)
    try:
        top = root.resolve()
        path = (top / file).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise BadInput(f"{file!r} is no note's path: {error}") from None
    if not path.is_relative_to(top):
        raise BadInput(f"{file!r} leaves the vault", remedy="links out of it are not followed")
    real = path.relative_to(top)
    if file == WORKING_SET:
        if real.as_posix() != WORKING_SET:
            raise BadInput(f"{file} is a link", remedy="put the file itself there")
        return path
    _refuse_own(PurePosixPath(real.as_posix()), file)
    if file != always_loaded:
        check_name(real.as_posix(), always_loaded, file)
    return path


def check_name(file: str, always_loaded: str = "", shown: str = "") -> None:
    """Raise `BadInput` for a path that no note can have; the always-loaded file is free."""
    path = PurePosixPath(file)
    shown = shown or file
    _refuse_own(path, shown)
    if path.is_absolute() or ".." in path.parts or "\\" in file:
        raise BadInput(f"{shown!r} leaves the vault", remedy="name it relative to the vault")
    if path.as_posix() != file:
        raise BadInput(f"{shown!r} is another name of {path}", remedy=f"name it {path}")
    if file == always_loaded:
        return
    if not file.isprintable() or any(part.startswith(".") for part in path.parts):
        raise BadInput(f"{shown!r} is hidden or unprintable", remedy="name a note's file")
    if not is_note(path.name):
        raise BadInput(f"{shown!r} is not a Markdown file", remedy="name it like topic.md")


def plain(file: str) -> str:
    """The one name of a file that `./` or `//` write in another way."""
    return PurePosixPath(file).as_posix() if file else file


def _refuse_own(path: PurePosixPath, shown: str) -> None:
    """Raise `BadInput` for what Wellkept keeps in the vault for itself, in any spelling."""
    if OWN in map(str.casefold, path.parts):
        raise BadInput(
            f"{shown!r} is Wellkept's own: no proposal changes it",
            remedy=f"of the benchmark, questions go to {WORKING_SET}",
        )
