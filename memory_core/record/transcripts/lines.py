"""Rows of a JSONL file from a byte position on, in constant memory.

A short line is parsed as it stands; of a long one the middle of every long string is left
out while it is read, so a line of any length needs a few megabytes. A last line without
its end is given back only when it is a whole object already; else it is waited for.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

SHORT = 512 * 1024  # bytes of a line that is parsed in one piece
PIECE = 64 * 1024
KEPT = 32 * 1024  # bytes kept at either end of a long string
LARGEST = 8 * 1024 * 1024  # bytes a shortened line may still have
_NAMES = frozenset({"uuid", "turn", "payload", "id"})  # one of which every row has
_TRIES = 200  # places in a torn line where a row may begin
_CUT = "\u241fcut:{}\u241f"
CUT = re.compile("\u241fcut:(\\d+)\u241f")  # bytes left out, in the middle of a string


@dataclass(frozen=True, slots=True)
class Line:
    """A line's place in bytes, and its object; `row` is None when it holds none.

    `torn` says that a piece of another row stood before it in the same line: what a
    writer leaves that was killed and went on later.
    """

    position: int
    end: int
    row: dict[str, Any] | None
    torn: bool = False


def read(file: BinaryIO, start: int = 0) -> Iterator[Line]:
    """Every whole line from `start` on; blank ones are left out."""
    file.seek(start)
    position = start
    while raw := file.readline(SHORT):
        if raw.endswith(b"\n"):
            end, row = position + len(raw), _object(raw)
        elif len(raw) < SHORT:
            end, row = position + len(raw), _object(raw)
            if row is None:
                return  # cut: the rest may still come
        else:
            size, shortened, complete = _long(file, raw)
            end, row = position + size, _object(shortened) if shortened is not None else None
            if not complete and row is None:
                return
        if row is not None:
            yield Line(position, end, row)
        elif raw.strip():
            row = _after_a_torn_row(raw)
            yield Line(position, end, row, torn=row is not None)
        position = end


def _after_a_torn_row(raw: bytes) -> dict[str, Any] | None:
    """The whole object at the end of a line that begins with a piece of another."""
    at = 0
    for _ in range(_TRIES):
        at = raw.find(b'{"', at + 1)
        if at < 0:
            break
        row = _object(raw[at:])
        if row is not None and row.keys() & {"type", "role"} and row.keys() & _NAMES:
            return row
    return None


def _object(raw: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _long(file: BinaryIO, first: bytes) -> tuple[int, bytes | None, bool]:
    """Bytes read, the shortened line (None when it stays too large), whether it has its end."""
    shortener, size, piece = _Shortener(), len(first), b""
    for at in range(0, len(first), PIECE):
        shortener.feed(first[at : at + PIECE])
    while piece := file.readline(PIECE):
        size += len(piece)
        shortener.feed(piece)
        if piece.endswith(b"\n"):
            return size, shortener.result(), True
    return size, shortener.result(), False


class _Shortener:
    """Copies JSON and leaves out the middle of long strings, escape by escape."""

    _OUTSIDE = re.compile(rb'[^"]*')
    _INSIDE = re.compile(
        rb'(?:[^"\\]++|\\u[0-9a-fA-F]{4}|\\[^u]|\\u(?=.{4}))*+',  # the last is no JSON
        re.DOTALL,
    )

    def __init__(self) -> None:
        self._out = bytearray()
        self._rest = b""
        self._in_string = False
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = self._dropped = 0

    def feed(self, piece: bytes) -> None:
        piece, at = self._rest + piece, 0
        self._rest = b""
        while at < len(piece):
            pattern = self._INSIDE if self._in_string else self._OUTSIDE
            match = pattern.match(piece, at)
            assert match is not None
            self._keep(match.group())
            at = match.end()
            if at < len(piece) and piece[at : at + 1] == b"\\":
                self._rest = piece[at:]  # half of an escape
                return
            if at < len(piece):
                self._turn()
                at += 1

    def result(self) -> bytes | None:
        return bytes(self._out) if len(self._out) <= LARGEST else None

    def _keep(self, part: bytes) -> None:
        if not self._in_string:
            if len(self._out) <= LARGEST:
                self._out += part
            return
        room = KEPT - len(self._head)
        if room > 0 and not self._tail:
            self._head += part  # a whole part, so that no escape is cut
            return
        self._tail.append(part)
        self._tail_size += len(part)
        while self._tail and self._tail_size - len(self._tail[0]) >= KEPT:
            left = self._tail.popleft()
            self._tail_size -= len(left)
            self._dropped += len(left)

    def _turn(self) -> None:
        """A string begins or ends."""
        if self._in_string:
            middle = _CUT.format(self._dropped).encode() if self._dropped else b""
            kept = bytes(self._head) + middle + b"".join(self._tail)
            if len(self._out) <= LARGEST:
                self._out += kept
            self._head.clear()
            self._tail.clear()
            self._tail_size = self._dropped = 0
        self._out += b'"'
        self._in_string = not self._in_string
