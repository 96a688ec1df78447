"""Small files that the hooks leave for the capture process; standard library only.

A file appears whole or not at all. It is a pointer: the client's own transcript holds
the words, so a file lost in a power cut costs nothing and none is forced to the disk,
which a busy one would make slow. A reply travels in the file only where no transcript
can be read; it is redacted first, and that file is forced to the disk.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from typing import Any

from memory_core import paths

WAITING = "record"  # what happened, a file an event, removed when it is stored
OPEN = "open"  # a file a session whose turn has begun and not ended
ROWS = "rows"  # messages of a turn where the client has no file of them; an event points to it
_READABLE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
_count = 0


def put(event: dict[str, Any], *, durable: bool = False) -> str:
    """Leave an event and return its file's name; raises `OSError`."""
    global _count
    _count += 1
    name = f"{time.time_ns():020d}-{os.getpid()}-{_count}.json"
    _write(WAITING, name, event, durable=durable)
    return name


def put_rows(rows: list[dict[str, Any]]) -> str:
    """Leave the messages of a turn, one a line, and return the file; raises `OSError`.

    They are redacted by the caller, and forced to the disk: nothing else of ours holds them.
    """
    name = f"{time.time_ns():020d}-{os.getpid()}.jsonl"
    _write(ROWS, name, *rows, durable=True)
    return os.path.join(folder(ROWS), name)


def is_own(transcript: str) -> bool:
    """Whether a transcript is one that `put_rows` left, to be removed when it is stored."""
    return os.path.dirname(transcript) == folder(ROWS)


def opened(session: str, pointer: dict[str, Any]) -> bool:
    """Note that a turn began; whether the one before it never ended.

    Raises `OSError`.
    """
    unfinished = _exists(os.path.join(folder(OPEN), safe(session)))
    _write(OPEN, safe(session), pointer)
    return unfinished


def closed(session: str) -> None:
    """Note that the turn ended."""
    with contextlib.suppress(OSError):
        os.unlink(os.path.join(folder(OPEN), safe(session)))


def names(kind: str = WAITING) -> list[str]:
    """The files that wait, oldest first."""
    try:
        return sorted(name for name in os.listdir(folder(kind)) if not name.startswith("."))
    except OSError:
        return []


def read(name: str, kind: str = WAITING) -> dict[str, Any] | None:
    """What a file says; None when it is gone or says nothing.

    Raises `OSError` when it is there and cannot be read now.
    """
    try:
        with open(os.path.join(folder(kind), name), "rb") as file:
            event = json.loads(file.read())
    except (FileNotFoundError, ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def remove(name: str, kind: str = WAITING) -> None:
    """A file's work is done; again is harmless."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(folder(kind), name))


def folder(kind: str) -> str:
    """Where the files of a kind lie."""
    return os.path.join(os.fspath(paths.spool_folder()), kind)


def safe(session: str) -> str:
    """A session's id as a file name, whatever the client calls its sessions."""
    if 0 < len(session) <= 100 and not set(session) - _READABLE:
        return session
    import hashlib  # rarely needed, and a hook pays for every import

    return "x" + hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _write(kind: str, name: str, *documents: dict[str, Any], durable: bool = False) -> None:
    where = folder(kind)
    temporary = os.path.join(where, f".{name}-{os.getpid()}")
    try:
        handle = _create(temporary)
    except FileNotFoundError:
        os.makedirs(where, mode=0o700, exist_ok=True)
        handle = _create(temporary)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(b"\n".join(json.dumps(one).encode() for one in documents))
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(temporary, os.path.join(where, name))
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _create(file: str) -> int:
    return os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)


def _exists(file: str) -> bool:
    try:
        os.stat(file)
    except OSError:
        return False
    return True
