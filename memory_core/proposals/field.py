"""One field of a note's front matter: found, written, changed; every other byte stays.

A change counts only where the whole text, read again, has the wanted value in that field, the
same values in all others, and the same body.
"""

from __future__ import annotations

import json
import re
from typing import Any

from memory_core.errors import BadInput, Conflict, FieldTooLong
from memory_core.proposals.edit import newline_of, with_newlines
from memory_core.text import clean, one_line, without_surrogates
from memory_core.vault import front_matter
from memory_core.vault.note import DESCRIPTION

Value = str | list[str]

FIELDS = ("description", "tags")
TAGS, TAG = 20, 60  # how many, and the characters of one
_BREAK = re.compile(r"\r\n?|\n")
_CLOSING = re.compile(r"(?:---|\.\.\.)[ \t]*(?:\r\n?|\n)?\Z")
_LATER = re.compile(r"[ \t]|-[ \t\r\n]|[ \t]*(?:\r\n?|\n|\Z)")  # a line that continues an entry


def line(name: str, value: Value, like: str = "") -> str:
    """The field as YAML that is read back as the value, in the style of the entry `like`.

    A comment at the end of a `like` of one line is kept.
    """
    import yaml

    dump: Any = yaml.safe_dump
    block = isinstance(value, list) and "\n" in like and "[" not in like
    told: str = dump(
        {name: value}, allow_unicode=True, width=1_000_000, sort_keys=False,
        default_flow_style=None if isinstance(value, list) and not block else False,
    ).strip("\n")  # fmt: skip
    if _read_back(name, told) != value:
        told = f"{name}: {json.dumps(value, ensure_ascii=False)}"
    return told + _comment(like)


def parsed(name: str, text: str) -> Value:
    """The value that the YAML of a field gives: a line of text, or a list of tags.

    Raises `BadInput`, `FieldTooLong`.
    """
    value = _read_back(name, text)
    if value is None:
        raise BadInput(
            f"{one_line(text)[:60]!r} is no YAML of `{name}`", remedy=f"write it like {name}: …"
        )
    if name == "description":
        if not isinstance(value, str) or not value.strip():
            raise BadInput("`description` is no line of text", remedy="put it in quotes")
        if len(value) > DESCRIPTION:
            raise FieldTooLong("description", len(value), DESCRIPTION)
        if one_line(clean(value)) != value:
            raise BadInput("`description` is more than a line", remedy="write one line")
        return value
    if not isinstance(value, list) or not all(isinstance(tag, str) for tag in value):
        raise BadInput(f"`{name}` is no list of words", remedy=f"write {name}: [one, two]")
    if len(value) > TAGS or any(len(tag) > TAG or one_line(clean(tag)) != tag for tag in value):
        raise BadInput(f"`{name}` takes {TAGS} of {TAG} characters, each on a line")
    return value


def written(name: str, text: str) -> str:
    """A person's words as the field's YAML: as they are, or quoted where YAML needs it.

    Raises as `parsed`.
    """
    head, mark, told = text.partition(":")
    plain = told if mark and head.strip() == name else text
    if name == "description" and not isinstance(_read_back(name, text), str):
        text = line(name, one_line(clean(plain)).strip("\"'"))
    parsed(name, text)
    return text


def entry(text: str, name: str) -> str:
    """The field as it stands in a note's front matter, verbatim; "" where it is not there."""
    start, end = _span(text, name)
    return text[start:end]


def changed(text: str, name: str, before: str, after: str) -> str:
    """The text with the field's entry `before` replaced, or added where `before` is empty.

    Raises `Conflict` where the entry is another, or the front matter cannot carry it.
    """
    start, end = _span(text, name)
    there = text[start:end]
    if without_surrogates(_unix(there)) != _unix(before):
        said = "is there already" if there and not before else "is not what it was"
        raise Conflict(f"`{name}` {said}", remedy="the next run looks at it anew", current=text)
    fresh = with_newlines(after, newline_of(text))
    made = text[:start] + fresh + text[end:] if there else _added(text, fresh)
    return _verified(text, made, name, parsed(name, after))


def _added(text: str, fresh: str) -> str:
    """The entry as the last of the front matter, which is made where there is none."""
    newline, matter = newline_of(text), front_matter.read(text)
    if matter.end > 1 and (closing := _CLOSING.search(text, 0, matter.end)):
        return text[: closing.start()] + fresh + newline + text[closing.start() :]
    head, body = text[: matter.end], text[matter.end :]
    apart = "" if not body or _BREAK.match(body) else newline
    return f"{head}---{newline}{fresh}{newline}---{newline}{apart}{body}"


def _verified(old: str, new: str, name: str, value: Value) -> str:
    """The new text. Raises `Conflict` unless it reads as the old one with the value."""
    was, now = front_matter.read(old), front_matter.read(new)
    others = {key: other for key, other in was.values.items() if key != name}
    bodies = [old[was.end :]]
    if was.end <= 1:  # it had no front matter: a blank line may part the new one from the body
        bodies.append(newline_of(old) + bodies[0])
    broken = was.problems if was.end <= 1 else set(now.problems) - set(was.problems)
    if broken or now.values != {**others, name: value} or new[now.end :] not in bodies:
        raise Conflict(
            f"the front matter takes no `{name}` as it is",
            remedy="mend it by hand", current=old,
        )  # fmt: skip
    return new


def _span(text: str, name: str) -> tuple[int, int]:
    """Where the field's entry stands, without its last line end; an empty span = nowhere."""
    end = front_matter.read(text).end
    opening = re.compile(rf"(?m)(?<=[\r\n])([\"']?){re.escape(name)}\1[ \t]*:(?=[ \t\r\n])")
    found = opening.search(text, 0, end)
    if not found:
        return 0, 0
    at = last = _line_end(text, found.start())
    while (following := _BREAK.match(text, at)) and following.end() < end:
        start = following.end()
        if _CLOSING.fullmatch(text, start, end) or not _LATER.match(text, start):
            break
        at = _line_end(text, start)
        if text[start:at].strip():
            last = at  # blank lines count where the entry goes on behind them
    return found.start(), last


def _line_end(text: str, at: int) -> int:
    found = _BREAK.search(text, at)
    return found.start() if found else len(text)


def _read_back(name: str, told: str) -> Any:
    """What the lines give as the only entry of a front matter; None where they are none."""
    matter = front_matter.read(f"---\n{_unix(told)}\n---\n")
    only = list(matter.values) == [name] and not matter.problems
    return matter.values[name] if only else None


def _comment(entry: str) -> str:
    """The comment behind the value of an entry of one line, with the space before it."""
    import yaml

    if "#" not in entry or _BREAK.search(entry):
        return ""
    try:
        scan: Any = yaml.scan
        ends = [token.end_mark.index for token in scan(entry) if token.end_mark.line == 0]
    except yaml.YAMLError:
        return ""
    rest = entry[max((end for end in ends if end <= len(entry)), default=len(entry)) :]
    return rest.rstrip() if rest.lstrip().startswith("#") else ""


def _unix(text: str) -> str:
    return _BREAK.sub("\n", text)
