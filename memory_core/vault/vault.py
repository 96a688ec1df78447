"""The vault: a folder of notes, the user's own; nothing in it is ever fatal.

`scan` reads what changed since the last scan and names every problem; a note whose
content is the same stays the same object. Hidden and git-ignored files are left out,
and the always-loaded file is not a note.
"""

from __future__ import annotations

import codecs
import hashlib
import os
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from memory_core.errors import BadInput, NotFound, VaultError
from memory_core.vault.listing import Entry, Problem, is_note, walk
from memory_core.vault.note import Note, examine

__all__ = ["Problem", "Scan", "Vault"]

READ_CAP = 256_000  # bytes of a file that are indexed
LONG_LINE = 20_000  # characters above which a line is named
_SETTLED = 2.0  # seconds after which a file's times tell a later change apart


@dataclass(frozen=True, slots=True)
class Scan:
    """Notes sorted by file, problems sorted by file; `hashes` holds each note's content hash."""

    notes: tuple[Note, ...] = ()
    problems: tuple[Problem, ...] = ()
    hashes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Known:
    times: tuple[int, ...]
    settled: bool  # whether equal times prove equal content
    digest: str
    note: Note
    problems: tuple[Problem, ...]


class Vault:
    """A folder of notes. Raises `VaultError` when `root` is not a folder."""

    def __init__(self, root: Path | str, always_loaded: str = "MEMORY.md") -> None:
        self.root = _folder(Path(root))
        self.always_loaded = PurePosixPath(always_loaded).as_posix()
        self._known: dict[str, _Known] = {}
        self._lock = threading.Lock()

    def scan(self) -> Scan:
        """Read the vault; unchanged files are not opened. Safe to call from several threads.

        Raises `VaultError` when the root is gone or cannot be listed.
        """
        with self._lock:
            problems: list[Problem] = []
            known: dict[str, _Known] = {}
            for entry in walk(_folder(self.root), problems):
                if entry.file != self.always_loaded:
                    found = self._look(entry, problems)
                    if found:
                        known[entry.file] = found
            self._known = known
        notes = tuple(known[file].note for file in sorted(known))
        for item in known.values():
            problems += item.problems
        problems += _clashes(notes)
        return Scan(
            notes,
            tuple(sorted(problems, key=lambda problem: (problem.file, problem.message))),
            {file: item.digest for file, item in known.items()},
        )

    def read(self, file: str) -> str:
        """The text of a note or of the always-loaded file, broken UTF-8 replaced.

        Raises `BadInput` for a path that is hidden, is no Markdown file or leaves the
        vault, and `NotFound` for one that is not there.
        """
        path = self.path(file)
        try:
            return path.read_bytes().decode("utf-8", "replace")
        except OSError as error:
            raise NotFound(f"{file} cannot be read: {error.strerror}") from None

    def path(self, file: str) -> Path:
        """The absolute path of a note's file that exists; raises as `read` does."""
        self._check(PurePosixPath(file), file)
        try:
            path = (self.root / file).resolve(strict=True)
        except FileNotFoundError:
            raise NotFound(f"no note {file!r} in {self.root}") from None
        except (OSError, RuntimeError, ValueError) as error:
            raise BadInput(f"{file!r} is not a note's path: {error}") from None
        if not path.is_relative_to(self.root):
            raise BadInput(f"{file!r} leaves the vault {self.root}")
        self._check(PurePosixPath(path.relative_to(self.root).as_posix()), file)
        if not path.is_file():
            raise NotFound(f"{file!r} is not a file")
        return path

    def _check(self, path: PurePosixPath, file: str) -> None:
        if path.is_absolute() or ".." in path.parts:
            raise BadInput(f"{file!r} leaves the vault", remedy="name it relative to the vault")
        if any(part.startswith(".") for part in path.parts) or "\x00" in file:
            raise BadInput(f"{file!r} is hidden; only notes can be read")
        if not is_note(path.name) and path.as_posix() != self.always_loaded:
            raise BadInput(f"{file!r} is not a Markdown file")

    def _look(self, entry: Entry, problems: list[Problem]) -> _Known | None:
        """What is known of a file, read anew when its times say it may have changed."""
        status = entry.stat
        times = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
        before = self._known.get(entry.file)
        if before and before.times == times and before.settled:
            return before
        settled = time.time() - max(status.st_mtime, status.st_ctime) > _SETTLED
        try:
            data = _read(self.root / entry.file)
        except FileNotFoundError:
            return None
        except OSError as error:
            problems.append(Problem(entry.file, f"cannot be read: {error.strerror}"))
            return None
        digest = hashlib.sha256(data + str(status.st_size).encode()).hexdigest()
        if before and before.digest == digest:
            return _Known(times, settled, digest, before.note, before.problems)
        note, found = _examine(data, entry)
        return _Known(times, settled, digest, note, found)


def _folder(root: Path) -> Path:
    try:
        root = root.expanduser().resolve()
        if root.is_dir():
            return root
        state = "is a file, not a folder" if root.exists() else "does not exist"
    except (OSError, RuntimeError, ValueError) as error:
        state = f"cannot be used: {error}"
    raise VaultError(f"the vault {root} {state}", remedy="wellkept init FOLDER names another")


def _read(path: Path) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as stream:
        return stream.read(READ_CAP)


def _examine(data: bytes, entry: Entry) -> tuple[Note, tuple[Problem, ...]]:
    """The note in a file's first bytes and what is wrong with them."""
    said: list[str] = []
    size = entry.stat.st_size
    if size > len(data) == READ_CAP:
        said.append(f"is {size:,} bytes; only the first {READ_CAP:,} are indexed")
        data = data[: data.rfind(b"\n") + 1] or data
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(data, len(data) < READ_CAP)
    if text.count("\ufffd") > data.count("\ufffd".encode()):
        said.append("is not valid UTF-8; broken bytes are shown as \ufffd")
    longest = max(map(len, text.splitlines()), default=0)
    if longest > LONG_LINE:
        said.append(f"has a line of {longest:,} characters; it is indexed in pieces")
    note, problems = examine(text, entry.file)
    return note, tuple(Problem(entry.file, message) for message in (*said, *problems))


def _clashes(notes: Iterable[Note]) -> list[Problem]:
    """Notes with the key of an earlier one, and files that differ in case alone."""
    found: list[Problem] = []
    keys: dict[str, str] = {}
    files: dict[str, str] = {}
    for note in notes:
        first = keys.setdefault(note.key.casefold(), note.file)
        if first != note.file:
            found.append(Problem(note.file, f"has the key {note.key!r} of {first}; both are read"))
        first = files.setdefault(note.file.casefold(), note.file)
        if first != note.file:
            found.append(Problem(note.file, f"differs from {first} in upper and lower case alone"))
    return found
