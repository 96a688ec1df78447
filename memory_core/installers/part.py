"""One file of a client and what is ours in it: put in, and taken out again."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from memory_core.errors import SettingsError
from memory_core.installers import hook_entries, json_edit, toml_text
from memory_core.installers.hook_entries import with_own
from memory_core.installers.json_text import JsonText


class Part(Protocol):
    """`added` and `removed` give the file's new bytes, None for no file.

    Both raise `SettingsError` for a file that cannot be understood. `before` is the file
    as it was before us, where that is known: what was there then is not ours.
    """

    @property
    def file(self) -> Path: ...

    def added(self, content: bytes | None, /) -> bytes: ...

    def removed(self, content: bytes | None, before: bytes | None, /) -> bytes | None: ...


@dataclass(frozen=True, slots=True)
class WholeFile:
    """A file that is ours as a whole."""

    file: Path
    text: str

    def added(self, _content: bytes | None) -> bytes:
        """Our text, whatever was there; a backup keeps it."""
        return self.text.encode("utf-8", "surrogateescape")

    def removed(self, _content: bytes | None, before: bytes | None) -> bytes | None:
        """No file, or the one that was there before."""
        return before


@dataclass(frozen=True, slots=True)
class JsonFile:
    """Hooks by event, and members by path, in a JSON file."""

    file: Path
    hooks: Mapping[str, dict[str, Any]]
    members: Mapping[tuple[str, str], dict[str, Any]]
    comments: bool = False

    def added(self, content: bytes | None) -> bytes:
        """The file with our entries; those that are there already stay where they are."""
        return _edited(self.file, content or b"{}\n", self._put)

    def removed(self, content: bytes | None, before: bytes | None) -> bytes | None:
        """The file without them, and without containers that they alone made necessary."""
        if content is None or not content.strip():
            return content
        known = self._known(before)
        left = _edited(self.file, content, lambda text: self._take(text, known))
        if left == content:
            return content
        if before is None and self._read(_text(self.file, left)[1]).document == {}:
            return None
        return left

    def _known(self, before: bytes | None) -> Any:
        if before is None or not before.strip():
            return {}
        return self._read(_text(self.file, before)[1]).document

    def _read(self, text: str) -> JsonText:
        read = JsonText(text if text.strip() else "{}\n", comments=self.comments)
        if not isinstance(read.document, dict):
            raise SettingsError("it holds no JSON object")
        return read

    def _put(self, text: str) -> str:
        text = self._read(text).text
        if self.hooks:
            text = hook_entries.put(text, self.hooks, self._read)
        for (outer, name), value in self.members.items():
            read = self._read(text)
            group = read.member(read.root, outer)
            if group is None:
                text = json_edit.put(read, read.root, {name: value}, outer)
                continue
            if not isinstance(read.value_at(group.value), dict):
                raise SettingsError(f'"{outer}" is no object')
            member = read.member(group.value, name)
            if member is None:
                text = json_edit.put(read, group.value, value, name)
            elif (wanted := with_own(read.value_at(member.value), value)) is not None:
                text = json_edit.replace(read, member, wanted)
        return text

    def _take(self, text: str, known: Any) -> str:
        text = self._read(text).text
        if self.hooks:
            text = hook_entries.take(text, self._read, known)
        for outer, name in self.members:
            read = self._read(text)
            group = read.member(read.root, outer)
            if group is None or not isinstance(read.value_at(group.value), dict):
                continue
            names = [entry.name for entry in read.entries(group.value)]
            if name not in names:
                continue
            if len(names) == 1 and outer not in known:
                text = json_edit.take(read, read.root, _index(read, read.root, outer))
            else:
                text = json_edit.take(read, group.value, names.index(name))
        return text


@dataclass(frozen=True, slots=True)
class TomlTable:
    """A table in a TOML file."""

    file: Path
    path: tuple[str, str]
    table: Mapping[str, toml_text.Value]

    def added(self, content: bytes | None) -> bytes:
        """The file with our table."""
        return _edited(
            self.file, content or b"", lambda text: toml_text.put(text, self.path, self.table)
        )

    def removed(self, content: bytes | None, before: bytes | None) -> bytes | None:
        """The file without it."""
        if content is None:
            return None
        left = _edited(self.file, content, lambda text: toml_text.take(text, self.path))
        return None if before is None and left != content and not left.strip() else left


def _index(read: JsonText, at: int, name: str) -> int:
    return [entry.name for entry in read.entries(at)].index(name)


def _edited(file: Path, content: bytes, edit: Callable[[str], str]) -> bytes:
    mark, text = _text(file, content)
    try:
        return mark + edit(text).encode("utf-8", "surrogateescape")
    except SettingsError as error:
        raise SettingsError(
            f"{file} cannot be changed safely: {error.message}; nothing was changed",
            remedy="repair it, then run this again",
        ) from None


def _text(file: Path, content: bytes) -> tuple[bytes, str]:
    """A byte order mark, if any, and the text after it."""
    mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    try:
        return mark, content[len(mark) :].decode("utf-8")
    except UnicodeDecodeError:
        raise SettingsError(
            f"{file} is no UTF-8 text; nothing was changed", remedy="repair it, then try again"
        ) from None
