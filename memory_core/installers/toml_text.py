"""One table in a TOML text: put at its end, changed in place, taken out.

Every edit is read back: whatever else the file says must be as it was, or the edit is
refused and the file stays untouched.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from memory_core.errors import SettingsError

Value = str | bool | list[str] | Mapping[str, str]
_TOKENS = re.compile(
    r'"""(?:\\[\s\S]|[^\\])*?"""|\'\'\'[\s\S]*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*'
)
_KEY = re.compile(r"^[ \t]*[\w\"'.-]+[ \t]*=")


def put(text: str, path: tuple[str, str], table: Mapping[str, Value]) -> str:
    """The text with the table at `path` as named; raises `SettingsError`.

    Keys that the table has beside ours stay.
    """
    before = parsed(text)
    held = _at(before, path)
    table = {**held, **table} if isinstance(held, dict) else table
    if held == _plain(table):
        return text
    span = _span(text, path)
    end = "\r\n" if "\r\n" in text else "\n"
    lines = [f"[{'.'.join(path)}]", *(f"{key} = {_written(item)}" for key, item in table.items())]
    written = end.join(lines)
    if span:
        changed = text[: span[0]] + written + text[span[1] :]
    else:
        gap = end if not text or text.endswith("\n") else end * 2
        changed = f"{text}{gap if text else ''}{written}{end}"
    _check(changed, _with(before, path, _plain(table)))
    return changed


def take(text: str, path: tuple[str, str]) -> str:
    """The text without the table at `path`; raises `SettingsError`."""
    before = parsed(text)
    if _at(before, path) is None:
        return text
    span = _span(text, path)
    if span is None:
        raise SettingsError(f"{'.'.join(path)} is not written as a table of its own")
    head, rest = text[: span[0]], re.sub(r"\A\r?\n", "", text[span[1] :])
    for line_end in ("\r\n", "\n"):
        if head.endswith(line_end * 2):  # the empty line that was put before it
            head = head.removesuffix(line_end)
            break
    _check(head + rest, _with(before, path, None))
    return head + rest


def parsed(text: str) -> dict[str, Any]:
    """What the text says; raises `SettingsError` with the place of the fault."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(str(error)) from None
    except RecursionError:
        raise SettingsError("it is nested too deeply") from None
    except ValueError:
        raise SettingsError("it holds a number of too many digits") from None


def _span(text: str, path: tuple[str, str]) -> tuple[int, int] | None:
    """From the table's head to the end of its last line."""
    text = _TOKENS.sub(_without_long_string, text)
    names = r"[ \t]*\.[ \t]*".join(rf"[\"']?{re.escape(name)}[\"']?" for name in path)
    head = re.compile(rf"^[ \t]*\[[ \t]*{names}[ \t]*(\.[^\]\n]+)?\][ \t]*(?:#[^\n]*?)?\r?$", re.M)
    start = stop = -1
    for match in head.finditer(text):
        if start < 0:
            start = match.start()
        elif text[stop : match.start()].strip():
            break  # something of somebody else's lies between
        stop = _last_line(text, match.end())
    return (start, stop) if start >= 0 else None


def _without_long_string(match: re.Match[str]) -> str:
    """Blanks for a string of several lines, in which anything may stand."""
    token = match[0]
    return re.sub(r"[^\n]", " ", token) if token[:3] in ('"""', "'''") else token


def _last_line(text: str, at: int) -> int:
    """Where the last `key = value` after a head ends."""
    stop = at - text[:at].endswith("\r")
    for match in re.finditer(r"[^\n]*", text[at + 1 :]):
        line = match[0].rstrip("\r")
        if line.lstrip().startswith("["):
            break
        if _KEY.match(line):
            stop = at + 1 + match.start() + len(line)
    return stop


def _check(changed: str, wanted: dict[str, Any]) -> None:
    try:
        same = _without_empty(tomllib.loads(changed)) == _without_empty(wanted)
    except tomllib.TOMLDecodeError:
        same = False
    if not same:
        raise SettingsError("its tables are written in a way that no table can be added to")


def _without_empty(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if value != {}}


def _at(document: Any, path: tuple[str, str]) -> Any:
    for name in path:
        document = document.get(name) if isinstance(document, dict) else None
    return document


def _with(document: dict[str, Any], path: tuple[str, str], table: Any) -> dict[str, Any]:
    """A copy in which `path` holds `table`, or nothing."""
    outer, inner = path
    held = document.get(outer, {})
    if not isinstance(held, dict):
        raise SettingsError(f"{outer} is no table")
    group = {**held, inner: table}
    if table is None:
        del group[inner]
    return {**document, outer: group}


def _plain(table: Mapping[str, Value]) -> dict[str, Any]:
    return {key: dict(item) if isinstance(item, Mapping) else item for key, item in table.items()}


def _written(value: Value) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_written(item)}" for key, item in value.items()) + " }"
    try:
        if isinstance(value, str | bool | int | list):
            return json.dumps(value, ensure_ascii=False)
    except TypeError:  # a date in a list
        pass
    raise SettingsError("our table holds a value that cannot be written again")
