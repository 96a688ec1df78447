"""Puts the page where a person wants it: whole or not at all, and never over something else."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from memory_core.errors import BadInput, Permanent

MARK = "<!doctype html>\n<!-- wellkept report -->\n"  # how every report begins


def check(file: Path) -> None:
    """Raise `BadInput` where the page must not or cannot go; nothing is written."""
    if file.is_dir():
        raise BadInput(f"{file} is a folder", remedy=f"name a file: {file / 'report.html'}")
    if not file.parent.is_dir():
        raise BadInput(f"the folder {file.parent} is not there", remedy="make it first")
    if file.exists() and not _is_report(file):
        raise BadInput(
            f"{file} is no report of wellkept and stays as it is", remedy="name another file"
        )


def write(file: Path, page: str) -> None:
    """Write the page in one step, readable by its owner only.

    Raises as `check`, and `Permanent` for a place that cannot be written.
    """
    check(file)
    temporary: Path | None = None
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
        temporary = Path(name)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as stream:
            stream.write(page)
        temporary.replace(file)
    except OSError as error:
        if temporary:
            temporary.unlink(missing_ok=True)
        raise Permanent(
            f"{file} cannot be written: {error.strerror}", remedy="name a place you may write"
        ) from None


def _is_report(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            return stream.read(len(MARK)) == MARK.encode()
    except OSError:
        return False
