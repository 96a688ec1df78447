"""Changes of files: shown as a diff, then done together or not at all.

Everything is written beside its target and forced to the disk before the first file is
exchanged; when one cannot be, those already exchanged get their old bytes back.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memory_core.errors import Conflict, SettingsError


@dataclass(frozen=True, slots=True)
class Change:
    """A file before and after, in bytes; None where there is no file. `mode` is a new one's."""

    file: Path
    before: bytes | None
    after: bytes | None
    mode: int = 0o600

    @property
    def is_one(self) -> bool:
        """Whether anything changes."""
        return self.before != self.after

    def diff(self) -> str:
        """The change in unified form; a file of another encoding shows its odd bytes."""
        before, after = (
            (content or b"").decode("utf-8", "backslashreplace").splitlines(keepends=True)
            for content in (self.before, self.after)
        )
        old, new = (
            str(self.file) if content is not None else "(no file)"
            for content in (self.before, self.after)
        )
        lines = difflib.unified_diff(before, after, old, new)
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def read(file: Path) -> bytes | None:
    """A file's bytes, None where there is none; raises `SettingsError` for anything else."""
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SettingsError(
            f"{file} cannot be read: {error.strerror}; nothing was changed",
            remedy="make it a file that you may read",
        ) from None


def apply(changes: Sequence[Change]) -> None:
    """Do all changes.

    Raises `Conflict` when a file is no longer as it was read, `SettingsError` when one
    cannot be written; in both cases every file is as before.
    """
    wanted = [change for change in changes if change.is_one]
    with contextlib.ExitStack() as stack:
        staged = []
        for change in wanted:
            _make_folder(change.file.parent, stack)
            staged.append((change, _staged(change, stack) if change.after is not None else None))
        for change in wanted:
            if read(change.file) != change.before:
                raise Conflict(
                    f"{change.file} was changed meanwhile; nothing was changed",
                    remedy="run it again",
                )
        done: list[Change] = []
        try:
            for change, temporary in staged:
                _exchange(change, temporary)
                done.append(change)
        except OSError as error:
            for change in reversed(done):
                _put_back(change)
            raise _refused(change.file, error) from None
        stack.pop_all()


def remove_empty(folders: Sequence[Path]) -> None:
    """Remove folders that an installation made, where nothing is in them."""
    for folder in sorted(folders, key=lambda one: len(one.parts), reverse=True):
        with contextlib.suppress(OSError):
            folder.rmdir()


def missing_folders(files: Sequence[Path]) -> list[Path]:
    """Folders that have to be made for files to be there."""
    found = {parent for file in files for parent in file.parents if not parent.exists()}
    return sorted(found)


def _make_folder(folder: Path, stack: contextlib.ExitStack) -> None:
    missing = missing_folders([folder / "file"])
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        remove_empty(missing)
        raise _refused(folder, error) from None
    stack.callback(remove_empty, missing)


def _staged(change: Change, stack: contextlib.ExitStack) -> Path:
    """The new content beside its target, with the target's mode."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{change.file.name}.", dir=change.file.parent)
        stack.callback(Path(name).unlink, missing_ok=True)
        with os.fdopen(handle, "wb") as file:
            mode = change.file.stat().st_mode & 0o7777 if change.file.exists() else change.mode
            os.fchmod(file.fileno(), mode)
            file.write(change.after or b"")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise _refused(change.file, error) from None
    return Path(name)


def _exchange(change: Change, temporary: Path | None) -> None:
    if temporary is None:
        change.file.unlink()
    else:
        temporary.replace(change.file)


def _put_back(change: Change) -> None:
    with contextlib.suppress(OSError):
        if change.before is None:
            change.file.unlink()
        else:
            change.file.write_bytes(change.before)


def _refused(file: Path, error: OSError) -> SettingsError:
    return SettingsError(
        f"{file} cannot be written: {error.strerror}; nothing was changed",
        remedy="make it writable, or put the lines in by hand (--dry-run shows them)",
    )


def diffs(changes: Sequence[Change]) -> Iterator[str]:
    """The diffs of what changes."""
    for change in changes:
        if change.is_one:
            yield change.diff()
