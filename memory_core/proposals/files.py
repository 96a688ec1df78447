"""The file outbox: texts that a committed change owes to the vault, each written once.

A row holds the whole text before and after. Hash = before: the file is replaced
atomically. Hash = after: it was done already. Anything else: somebody changed it
meanwhile, and it stays untouched.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlmodel import Session, col, select

from memory_core.errors import BadInput, VaultError
from memory_core.proposals.lock import Journal
from memory_core.proposals.snapshot import Snapshot, place, read, restored
from memory_core.store import outbox
from memory_core.store.tables import OutboxRow

KIND = "file"


@dataclass(frozen=True, slots=True)
class Owed:
    """One file of a change; `group` names the change, such as `proposal-12`."""

    group: str
    root: Path
    file: str
    before: Snapshot
    after: Snapshot
    conflict: str = ""
    done: bool = False

    @property
    def key(self) -> str:
        """The outbox row's key."""
        return f"{KIND}:{self.group}:{self.file}"


def post(session: Session, owed: Owed) -> None:
    """Owe a file inside the caller's transaction."""
    payload = {
        "group": owed.group,
        "root": str(owed.root),
        "file": owed.file,
        "before": owed.before.as_json(),
        "after": owed.after.as_json(),
    }
    outbox.post(session, kind=KIND, key=owed.key, payload=payload)


def of_group(session: Session, group: str, moved_to: Path | None = None) -> list[Owed]:
    """Every file of a change, done or not, in the order to write them.

    `moved_to` is the vault where the one they were made for is not there any more.
    """
    query = select(OutboxRow).where(
        OutboxRow.kind == KIND, col(OutboxRow.key).startswith(f"{KIND}:{group}:", autoescape=True)
    )
    owed = [_owed(row, moved_to) for row in session.exec(query).all()]
    return sorted(owed, key=lambda one: (len(one.after.text) < len(one.before.text), one.file))


def groups(session: Session, root: str | None = None) -> Sequence[str]:
    """The changes with a file still owed, oldest first; those of one vault, or all."""
    rows = outbox.pending(session, KIND)
    owed = (row.payload for row in rows if root in (None, row.payload["root"]))
    return list(dict.fromkeys(str(payload["group"]) for payload in owed))


def unwritten(session: Session) -> set[str]:
    """The files whose new text is still owed."""
    return {str(row.payload["file"]) for row in outbox.pending(session, KIND)}


def settle(session: Session, owed: Owed, conflict: str) -> None:
    """Mark a row as done; `conflict` says why the file was not written."""
    row = session.get(OutboxRow, owed.key)
    if row is not None and row.done_at is None:
        row.payload = {**row.payload, "conflict": conflict}
        outbox.done(session, owed.key)


def difference(owed: Owed, always_loaded: str) -> str:
    """Why a file cannot be written; "" where it can be, or was.

    Raises `VaultError` where the vault itself is not there.
    """
    if not owed.root.is_dir():
        raise VaultError(f"the vault {owed.root} is not there", remedy="mount it, then repeat")
    try:
        now = read(owed.root, owed.file, always_loaded)
    except (BadInput, VaultError) as error:
        return error.message
    if now.sha256 in (owed.before.sha256, owed.after.sha256):
        return ""
    return f"{owed.file} {'is gone' if now.data is None else 'was changed meanwhile'}"


def written(owed: Owed, always_loaded: str) -> bool:
    """Whether the file has its new text already."""
    try:
        return read(owed.root, owed.file, always_loaded).sha256 == owed.after.sha256
    except (BadInput, VaultError):
        return False


class Staging:
    """New texts written beside their files while the transaction is open.

    A full or read-only disk is met before anything counts; without `keep` everything
    that was staged goes again, folders included.
    """

    def __init__(self, journal: Journal, always_loaded: str) -> None:
        self._journal, self._always_loaded = journal, always_loaded

    def __enter__(self) -> Staging:
        return self

    def __exit__(self, *_: object) -> None:
        self._journal.sweep()

    def add(self, owed: Owed) -> None:
        """Stage a file's new text. Raises `VaultError`."""
        path = place(owed.root, owed.file, self._always_loaded)
        with _named(owed):
            for folder in _missing(path.parent):
                self._journal.note(folder)
            self._journal.note(staged(path, owed.after))
        stage(owed, self._always_loaded)

    def keep(self) -> None:
        """The transaction is committed: what is staged is what will be."""
        self._journal.close()


def stage(owed: Owed, always_loaded: str) -> None:
    """Write the new text beside the file. Raises `VaultError`."""
    with _named(owed):
        path = place(owed.root, owed.file, always_loaded)
        if owed.after.data is None:
            if not os.access(path.parent, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(staged(path, owed.after), owed.after.data, _mode(path))


def unstage(owed: Owed, always_loaded: str) -> None:
    """Take away what `stage` wrote."""
    with contextlib.suppress(OSError, BadInput):
        staged(place(owed.root, owed.file, always_loaded), owed.after).unlink()


def replace(owed: Owed, always_loaded: str) -> str:
    """Bring the file to its new text; returns why it stays untouched, "" when it is done.

    Raises `VaultError` where the disk refuses; the call can be repeated.
    """
    if reason := difference(owed, always_loaded):
        unstage(owed, always_loaded)
        return reason
    with _named(owed):
        path = place(owed.root, owed.file, always_loaded)
        fresh = staged(path, owed.after)
        if written(owed, always_loaded):
            fresh.unlink(missing_ok=True)
            return ""
        if owed.after.data is None:
            path.unlink()
        else:
            if not fresh.is_file() or fresh.read_bytes() != owed.after.data:
                stage(owed, always_loaded)
            if difference(owed, always_loaded):
                return replace(owed, always_loaded)
            fresh.replace(path)
        _sync_folder(path.parent)
    return ""


def staged(path: Path, after: Snapshot) -> Path:
    """Where the new text waits: hidden, in the same folder, found again after a crash."""
    return path.with_name(f".wellkept-{after.sha256[:16]}.tmp")


def _owed(row: OutboxRow, moved_to: Path | None) -> Owed:
    payload: dict[str, Any] = row.payload
    root = Path(payload["root"])
    return Owed(
        group=payload["group"],
        root=moved_to if moved_to and not root.is_dir() else root,
        file=payload["file"],
        before=restored(payload["before"]),
        after=restored(payload["after"]),
        conflict=payload.get("conflict", ""),
        done=row.done_at is not None,
    )


def _write(path: Path, data: bytes, mode: int) -> None:
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            os.fchmod(stream.fileno(), mode)
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError:
        path.unlink(missing_ok=True)
        raise


def _missing(folder: Path) -> list[Path]:
    """The folders that have to be made, the outermost first."""
    found: list[Path] = []
    while not folder.exists():
        found.insert(0, folder)
        folder = folder.parent
    return found


def _mode(path: Path) -> int:
    """The permissions of the file; of a new one what the user's umask gives."""
    try:
        return path.stat().st_mode & 0o7777
    except FileNotFoundError:
        mask = os.umask(0o077)
        os.umask(mask)
        return 0o666 & ~mask


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _named(owed: Owed) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise VaultError(
            f"{owed.file} cannot be written: {error.strerror}",
            remedy="the decision is kept; free the disk or make the vault writable, then repeat",
        ) from None
