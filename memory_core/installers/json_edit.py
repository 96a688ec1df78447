"""Edits of a JSON text that leave every other character as it is.

What is put in takes the file's own indentation and line ends. Each function returns the
new text; taking out what was put in gives the old one back.
"""

from __future__ import annotations

import json
import re
from typing import Any

from memory_core.installers.json_text import Entry, JsonText

_INDENT = re.compile(r"\n([ \t]+)\S")


def put(read: JsonText, at: int, value: Any, name: str = "") -> str:
    """A new last member (with a name) or item of the container that begins at `at`."""
    text, entries = read.text, read.entries(at)
    close = read.end_of(at) - 1
    if not entries:
        return _filled(read, at, close, value, name)
    last = entries[-1]
    is_flat = "\n" not in text[at : last.end]
    indent = _indent_before(text, at) + _unit(text) if is_flat else _indent_before(text, last.start)
    written = _written(text, indent, value, name)
    after = max(last.end, last.comma + 1)
    kept = text[after:close].rstrip()  # comments behind the last entry stay there
    comma = "" if last.last_comma else ","
    if is_flat and not kept:
        flat = json.dumps(value, ensure_ascii=False)
        written = f"{json.dumps(name, ensure_ascii=False)}: {flat}" if name else flat
        return f"{text[: last.end]}, {written}{text[after:]}"
    space = text[after + len(kept) : close]
    head = f"{text[: last.end]}{comma}{text[last.end : after]}{kept}"
    return f"{head}{_line_end(text)}{indent}{written}{',' * last.last_comma}{space}{text[close:]}"


def replace(read: JsonText, entry: Entry, value: Any) -> str:
    """Another value in the place of an entry's."""
    text = read.text
    is_flat = "\n" not in text[entry.value : entry.end] and isinstance(
        read.value_at(entry.value), dict | list
    )
    if is_flat:
        written = json.dumps(value, ensure_ascii=False)
    else:
        written = _written(text, _indent_before(text, entry.start), value)
    return text[: entry.value] + written + text[entry.end :]


def take(read: JsonText, at: int, index: int) -> str:
    """The text without the entry of an index in the container that begins at `at`."""
    text, entries = read.text, read.entries(at)
    entry, before = entries[index], text[: entries[index].start]
    close = read.end_of(at) - 1
    if index + 1 < len(entries) or entry.last_comma:
        begin, end = len(before.rstrip()), entry.comma + 1
    elif index:
        comma = entries[index - 1].comma
        begin, end = len(before.rstrip()), entry.end
        return text[:comma] + text[comma + 1 : begin] + text[end:]
    else:
        begin, end = len(before.rstrip()), entry.end
    if len(entries) == 1 and not text[at + 1 : begin].strip() and not text[end:close].strip():
        return text[: at + 1] + text[close:]
    return text[:begin] + text[end:]


def _filled(read: JsonText, at: int, close: int, value: Any, name: str) -> str:
    """An empty container with its first entry."""
    text = read.text
    outer = _indent_before(text, at)
    indent, end = outer + _unit(text), _line_end(text)
    kept = text[at + 1 : close].rstrip()
    written = _written(text, indent, value, name)
    return f"{text[: at + 1]}{kept}{end}{indent}{written}{end}{outer}{text[close:]}"


def _written(text: str, indent: str, value: Any, name: str = "") -> str:
    unit, end = _unit(text), _line_end(text)
    lines = json.dumps(value, ensure_ascii=False, indent=unit).split("\n")
    head = f"{json.dumps(name, ensure_ascii=False)}: " if name else ""
    return head + f"{end}{indent}".join(lines)


def _indent_before(text: str, at: int) -> str:
    """The white space that the line of a position begins with."""
    begin = text.rfind("\n", 0, at) + 1
    match = re.match(r"[ \t]*", text[begin:at])
    return match[0] if match else ""


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
