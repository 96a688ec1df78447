"""JSON as text: what stands where, so that an edit touches nothing else.

Comments and commas at the end of a list are read where the client allows them. Every
position is an index into the text as it stands.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from memory_core.errors import SettingsError

_TOKENS = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*[\s\S]*?\*/')
_LAST_COMMAS = re.compile(r'"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])')
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Entry:
    """A member or an item: its name ("" in a list), its own span, its value's span.

    `comma` is where the comma after it stands, or -1; `last_comma` says that nothing
    follows that comma.
    """

    name: str
    start: int
    value: int
    end: int
    comma: int = -1
    last_comma: bool = False


class JsonText:
    """A text that holds one JSON document; raises `SettingsError` for any other."""

    def __init__(self, text: str, *, comments: bool = False) -> None:
        self.text, self.comments = text, comments
        self._plain, self._last_commas = _blanked(text) if comments else (text, frozenset[int]())
        if not self._plain.strip():
            raise SettingsError("it is empty")
        self.root = self._after_space(0)
        self.document, end = self._decoded(self.root)
        if (rest := self._after_space(end)) < len(text):
            raise SettingsError(f"something follows the document in {self._place(rest)}")

    def entries(self, at: int) -> list[Entry]:
        """The members or items of the container that begins at `at`.

        Raises `SettingsError` where a name stands twice: which one counts is not ours to say.
        """
        found: list[Entry] = []
        closing = "}" if self._plain[at] == "{" else "]"
        at = self._after_space(at + 1)
        while self._plain[at] != closing:
            start, name, value = at, "", at
            if closing == "}":
                name, at = self._decoded(at)
                value = self._after_space(self._after_space(at) + 1)
            _, end = self._decoded(value)
            at = self._after_space(end)
            comma = at if self._plain[at] == "," else self._last_comma(end, at)
            found.append(Entry(name, start, value, end, comma, comma in self._last_commas))
            if self._plain[at] == ",":
                at = self._after_space(at + 1)
        names = [entry.name for entry in found if closing == "}"]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise SettingsError(f'"{twice}" stands twice in {self._place(found[-1].start)}')
        return found

    def end_of(self, at: int) -> int:
        """Where the value that begins at `at` ends."""
        return self._decoded(at)[1]

    def member(self, at: int, name: str) -> Entry | None:
        """The member of a name in the object that begins at `at`."""
        return next((entry for entry in self.entries(at) if entry.name == name), None)

    def value_at(self, at: int) -> Any:
        """The value that begins at `at`."""
        return self._decoded(at)[0]

    def _decoded(self, at: int) -> tuple[Any, int]:
        try:
            return _DECODER.raw_decode(self._plain, at)
        except json.JSONDecodeError as error:
            raise SettingsError(f"{error.msg} in {self._place(error.pos)}") from None
        except RecursionError:
            raise SettingsError("it is nested too deeply") from None
        except ValueError:
            raise SettingsError("it holds a number of too many digits") from None

    def _after_space(self, at: int) -> int:
        match = _SPACE.match(self._plain, at)
        return match.end() if match else at

    def _last_comma(self, start: int, end: int) -> int:
        return next((at for at in range(start, end) if at in self._last_commas), -1)

    def _place(self, at: int) -> str:
        line = self.text.count("\n", 0, at) + 1
        return f"line {line}"


def _blanked(text: str) -> tuple[str, frozenset[int]]:
    """The text with spaces for comments and last commas, and where those commas stood."""
    plain = _TOKENS.sub(
        lambda match: match[0] if match[0][0] == '"' else re.sub(r"[^\n]", " ", match[0]), text
    )
    commas = {match.start() for match in _LAST_COMMAS.finditer(plain) if match[0] == ","}
    for at in commas:
        plain = f"{plain[:at]} {plain[at + 1 :]}"
    return plain, frozenset(commas)
