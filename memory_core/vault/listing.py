"""The note files of a folder: what is listed, what is left out and what is named.

Hidden and ignored names are left out silently. Links are never followed, so no loop
can hold the walk; names that cannot be printed on one line are named and left out.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memory_core.errors import VaultError
from memory_core.text import clean
from memory_core.vault import ignore

SUFFIX = ".md"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something about one file (relative to the vault) that its owner should know."""

    file: str
    message: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A regular note file; `file` is relative to the vault, with forward slashes."""

    file: str
    stat: os.stat_result


def is_note(name: str) -> bool:
    """Whether a file name is a note's."""
    return name.lower().endswith(SUFFIX) and not name.startswith(".")


def walk(root: Path, problems: list[Problem]) -> Iterator[Entry]:
    """Every note file below `root`, in no particular order.

    Raises `VaultError` when the root itself cannot be listed.
    """
    rules, above = ignore.around(root)
    waiting = [("", rules)]
    while waiting:
        folder, rules = waiting.pop()
        rules = rules.inside(above + folder)
        for item in _items(root, folder, problems):
            path = folder + item.name
            if item.name.startswith(".") or not _printable(item.name, folder, problems):
                continue
            if item.is_symlink():
                if is_note(item.name) or "." not in item.name:
                    _name_link(root, path, above, rules, problems)
            elif item.is_dir(follow_symlinks=False):
                if not rules.ignores(f"{above}{path}/"):
                    waiting.append((f"{path}/", rules))
            elif is_note(item.name) and not rules.ignores(above + path):
                yield from _entry(item, path, problems)


def _items(root: Path, folder: str, problems: list[Problem]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(root / folder) as items:
            return list(items)
    except FileNotFoundError:
        if folder:  # gone since its parent was listed
            return []
        raise VaultError(f"the vault {root} is gone", remedy="set vault to a folder") from None
    except OSError as error:
        reason = error.strerror or str(error)
        if folder:
            problems.append(Problem(folder, f"the folder cannot be listed: {reason}"))
            return []
        raise VaultError(
            f"the vault {root} cannot be listed: {reason}", remedy="set vault to a folder"
        ) from None


def _entry(item: os.DirEntry[str], path: str, problems: list[Problem]) -> Iterator[Entry]:
    try:
        status = item.stat(follow_symlinks=False)
    except FileNotFoundError:
        return
    except OSError as error:
        problems.append(Problem(path, f"cannot be read: {error.strerror}"))
        return
    if stat.S_ISREG(status.st_mode):
        yield Entry(path, status)
    else:
        problems.append(Problem(path, "is not a regular file; left out"))


def _printable(name: str, folder: str, problems: list[Problem]) -> bool:
    if name.isascii() and name.isprintable():
        return True
    if clean(name) == name and "\n" not in name and "\t" not in name:
        return True
    if is_note(name):
        shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in name)
        problems.append(
            Problem(folder + shown, "its name holds unprintable characters; left out, rename it")
        )
    return False


def _name_link(
    root: Path, path: str, above: str, rules: ignore.Ignore, problems: list[Problem]
) -> None:
    if rules.ignores(above + path) or rules.ignores(f"{above}{path}/"):
        return
    link = root / path
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):
        reason = "leads nowhere or in a circle"
    else:
        if link.is_relative_to(target):
            reason = "leads to a folder above itself"
        elif target.is_relative_to(root):
            reason = f"leads to {target.relative_to(root).as_posix()}, inside the vault"
        else:
            reason = "leaves the vault"
    problems.append(Problem(path, f"is a link that {reason}; links are not followed"))
