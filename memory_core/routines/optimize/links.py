"""Links that lead nowhere, and the one note that each plainly means, where there is one.

A link means a note when both names are the same but for case, separators and the ending
`.md`, or when one is the other with a word more in front or behind. Where two notes fit,
none is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from memory_core.text import fold
from memory_core.vault.note import Note

LEAST = 4  # characters of a name that may lack a word in front or behind
_OTHER_FILE = re.compile(r"\.(?!md$)[A-Za-z][A-Za-z0-9]{0,4}$")  # a picture, a PDF
_SEPARATORS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Broken:
    """A link of a note that leads nowhere; `to` is the key that it means, "" = unknown."""

    note: Note
    link: str
    to: str = ""


def broken(notes: Sequence[Note]) -> Iterator[Broken]:
    """Every link that no note answers to, by key, file name or path."""
    known = {name for note in notes for name in _names(note)}
    keys = {note.key: _plain(note.key) for note in notes}
    by_plain: dict[str, set[str]] = {}
    for note in notes:
        for name in _names(note):
            by_plain.setdefault(_plain(name), set()).add(note.key)
    for note in notes:
        for link in note.links:
            if link not in known and not _OTHER_FILE.search(link):
                yield Broken(note, link, _meant(link, note, by_plain, keys))


def _meant(link: str, note: Note, by_plain: dict[str, set[str]], keys: dict[str, str]) -> str:
    plain = _plain(link)
    found = by_plain.get(plain, set())
    if not found and len(plain) >= LEAST:
        found = {key for key, own in keys.items() if key != note.key and _longer(own, plain)}
    return next(iter(found)) if len(found) == 1 and found != {note.key} else ""


def _longer(one: str, other: str) -> bool:
    """Whether one name is the other with words more in front or behind."""
    shorter, longer = sorted((one, other), key=len)
    parts, whole = shorter.split("-"), longer.split("-")
    own = len(parts)
    enough = len(shorter) >= LEAST and own < len(whole)
    return enough and (whole[:own] == parts or whole[-own:] == parts)


def _names(note: Note) -> tuple[str, ...]:
    path = PurePosixPath(note.file)
    return note.key, note.file, path.stem, path.with_suffix("").as_posix()


def _plain(name: str) -> str:
    return _SEPARATORS.sub("-", fold(name).removesuffix(".md")).strip("-")
