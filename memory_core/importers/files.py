"""Files of other tools, read with a size limit; what is wrong in one is an error that names it."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from memory_core.errors import BadInput, NotFound

TEXT_BYTES = 2_000_000
JSON_BYTES = 64_000_000
FILES, LOOKED = 2000, 50_000  # Markdown files of a folder, and files of any kind
DEPTH = 12  # folders below each other
_KNOWN = "see docs/import.md for what can be imported"


def read_text(path: Path, cap: int = TEXT_BYTES) -> str:
    """The text of a UTF-8 file, without a byte order mark.

    Raises `NotFound`, and `BadInput` for a file that is too big or no text.
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(cap + 1)
    except FileNotFoundError:
        raise NotFound(f"there is no {path}", remedy="name a file or a folder") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}", remedy=_KNOWN) from None
    return decoded(data, str(path), cap)


def decoded(data: bytes, name: str, cap: int) -> str:
    """The bytes as text; raises as `read_text`."""
    if len(data) > cap:
        raise BadInput(
            f"{name} is larger than {cap // 1_000_000} MB", remedy="import it in smaller parts"
        )
    if b"\0" in data:
        raise BadInput(f"{name} is binary, not text", remedy=_KNOWN)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(
            f"{name} is no UTF-8 text (byte {error.start:,})", remedy="save it as UTF-8"
        ) from None


def parsed(text: str, name: str) -> Any:
    """The value of a JSON text.

    Raises `BadInput` with the line where it breaks.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise BadInput(
            f"{name} is no JSON: {error.msg} in line {error.lineno:,}, column {error.colno:,}",
            remedy="export it again; the download may have been cut off",
        ) from None
    except RecursionError:
        raise BadInput(f"{name} is nested too deeply", remedy=_KNOWN) from None


def markdown_files(folder: Path) -> list[Path]:
    """The Markdown files below a folder, sorted; hidden ones and links are left out.

    Raises `BadInput` for more than `FILES`, or a folder that cannot be listed.
    """
    found: list[Path] = []
    looked = 0

    def refuse(error: OSError) -> None:
        raise BadInput(f"{error.filename} cannot be listed: {error.strerror}")

    for top, folders, names in os.walk(folder, onerror=refuse):
        deep = len(Path(top).relative_to(folder).parts) >= DEPTH
        folders[:] = [] if deep else sorted(name for name in folders if name[0] != ".")
        for name in sorted(names):
            path = Path(top, name)
            if name.lower().endswith(".md") and name[0] != "." and not path.is_symlink():
                found.append(path)
        looked += len(names)
        if len(found) > FILES or looked > LOOKED:
            raise BadInput(
                f"{folder} holds more than {FILES:,} Markdown files, or {LOOKED:,} others",
                remedy="name the folder of the notes, or use it as the vault: wellkept init FOLDER",
            )
    return found


def json_files(path: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, Any]]:
    """Name and value of each JSON file that is wanted: of a folder, a zip archive, or itself.

    Names are relative and have forward slashes. Raises `BadInput` and `NotFound`.
    """
    if path.is_dir():
        for file in sorted([*path.glob("*.json"), *path.glob("*/*.json")]):
            name = file.relative_to(path).as_posix()
            if wanted(name) and file.is_file():
                yield name, parsed(read_text(file, JSON_BYTES), str(file))
    elif is_zip(path):
        yield from _of_zip(path, wanted)
    else:
        yield path.name, parsed(read_text(path, JSON_BYTES), str(path))


def is_zip(path: Path) -> bool:
    """Whether a file is a zip archive, whatever its name."""
    try:
        return path.is_file() and zipfile.is_zipfile(path)
    except OSError:
        return False


def _of_zip(path: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, Any]]:
    try:
        with zipfile.ZipFile(path) as archive:
            for member in sorted(archive.infolist(), key=lambda each: each.filename):
                if not member.is_dir() and wanted(member.filename):
                    shown = f"{path}: {member.filename}"
                    with archive.open(member) as stream:
                        data = stream.read(JSON_BYTES + 1)
                    yield member.filename, parsed(decoded(data, shown, JSON_BYTES), shown)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError) as error:
        raise BadInput(
            f"{path} is no zip archive that can be read: {error}", remedy="download it again"
        ) from None
