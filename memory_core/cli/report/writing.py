"""Puts the page where a person wants it: whole or not at all, and never over something else."""

from __future__ import annotations

import contextlib
import os
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
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(page)
        temporary.replace(file)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise Permanent(
            f"{file} cannot be written: {error.strerror}", remedy="name a place you may write"
        ) from None


def _is_report(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            return stream.read(len(MARK)) == MARK.encode()
    except OSError:
        return False
