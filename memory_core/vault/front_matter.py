"""Front matter: the YAML block at the top of a note, read without ever failing.

Values come back as plain Python; whatever is wrong becomes a problem in words. Only
what YAML 1.2 calls a boolean or a number is one, so a tag `no` stays a word. Aliases
are refused, because a few lines of them can stand for gigabytes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import lru_cache
from typing import Any

CAP = 32_000  # characters of front matter that are read as YAML
LINE = 500  # characters of one value, where YAML fails and lines are read

_OPENING = re.compile(r"\A\ufeff?---[ \t]*(?:\r\n?|\n)")
_CLOSING = re.compile(r"(?:\A|(?<=[\r\n]))(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|\Z)")
_PLAIN_LINE = re.compile(r"^([A-Za-z_][\w-]*)[ \t]*:[ \t]+(.+?)[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`values` by key, `problems` in words, `end` = offset in the text where the body starts."""

    values: dict[str, Any] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    end: int = 0


def read(text: str) -> FrontMatter:
    """Read the front matter of a note's text; none is a legal answer. Never raises."""
    opening = _OPENING.match(text)
    if not opening:
        return FrontMatter(end=1 if text.startswith("\ufeff") else 0)
    closing = _CLOSING.search(text, opening.end())
    if not closing:
        return _unclosed(text, opening.end())
    block = text[opening.end() : closing.start()]
    problems: list[str] = []
    values = _mapping(block, problems)
    if values is None:
        return FrontMatter(problems=tuple(problems))
    return FrontMatter(values, tuple(problems), closing.end())


def _unclosed(text: str, start: int) -> FrontMatter:
    if _PLAIN_LINE.match(text, start):
        return FrontMatter(problems=("the front matter is not closed with a line `---`",))
    return FrontMatter()


def _mapping(block: str, problems: list[str]) -> dict[str, Any] | None:
    """The block as a mapping; None when it is text between two rules, so no front matter."""
    try:
        value = _load(block, problems)
    except _Refused as refused:
        problems.append(f"front matter: {refused}; read line by line")
        return {name: _unquoted(told[:LINE]) for name, told in _PLAIN_LINE.findall(block[:CAP])}
    if value is None:
        return {}
    return {str(key): item for key, item in value.items()} if isinstance(value, dict) else None


class _Refused(Exception):
    """The block cannot be read as YAML; the message says why."""


def _load(block: str, problems: list[str]) -> Any:
    import yaml

    if len(block) > CAP:
        raise _Refused(f"{len(block)} characters, the cap is {CAP}")
    try:
        if "*" in block and _has_alias(block):
            raise _Refused("anchors and aliases are not allowed")
        loader = _loader()(block)
        try:
            value = loader.get_single_data()
            problems += [f"front matter: `{key}` stands there twice" for key in loader.repeated]
            return value
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f" in line {mark.line + 2}" if mark else ""
        raise _Refused(f"not valid YAML{where} ({error.problem})") from None
    except (yaml.YAMLError, ValueError, TypeError, AttributeError, RecursionError) as error:
        reason = " ".join(str(error).split())[:120]
        raise _Refused(f"not valid YAML ({reason})") from None


def _has_alias(block: str) -> bool:
    import yaml

    events: Any = yaml.parse(block, Loader=_loader())  # type: ignore[no-untyped-call]
    return any(isinstance(event, yaml.AliasEvent) for event in events)


@lru_cache(maxsize=1)
def _loader() -> Any:
    import yaml

    base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml reads ten times faster

    class Loader(base):  # type: ignore[misc, valid-type]
        yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012

        def __init__(self, block: str) -> None:
            super().__init__(block)
            self.repeated: list[str] = []

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            names = [str(key.value) for key, _ in getattr(node, "value", ())]
            self.repeated += sorted({name for name in names if names.count(name) > 1})
            return super().construct_mapping(node, deep=deep)

    for tag, pattern, first in (
        ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
        ("int", r"^[-+]?(?:0|[1-9][0-9]{0,17})$", "-+0123456789"),
        ("float", r"^[-+]?[0-9]{1,15}\.[0-9]{1,15}$", "-+0123456789"),
        ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
        ("timestamp", r"^\d{4}-\d\d?-\d\d?(?:[Tt ]\s*\d\d?:\d\d:\d\d.*)?$", "0123456789"),
    ):
        name = f"tag:yaml.org,2002:{tag}"
        Loader.add_implicit_resolver(name, re.compile(pattern), list(first))
    return Loader


def _unquoted(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if quoted else value


def as_text(name: str, value: Any, problems: list[str]) -> str:
    """A field that holds one line of text; anything else is named."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, (bool, int, float, date)):
        problems.append(f"`{name}` is {_kind(value)}, read as the text {str(value)!r}")
        return str(value)
    problems.append(f"`{name}` is {_kind(value)}, not text; left out")
    return ""


def as_list(name: str, value: Any, problems: list[str]) -> tuple[str, ...]:
    """A field that holds a list of short texts; one text is split at commas or spaces."""
    if value is None:
        return ()
    if isinstance(value, str):
        parts = [part for part in re.split(r"[\s,\[\]\"']+", value) if part]
        if parts:
            problems.append(f"`{name}` is text, read as a list of {len(parts)}")
        return tuple(parts)
    if not isinstance(value, list):
        problems.append(f"`{name}` is {_kind(value)}, not a list; left out")
        return ()
    kept = [item for item in value if isinstance(item, (str, int, float, date))]
    if len(kept) < len(value):
        problems.append(f"`{name}` holds something that is not text; left out")
    return tuple(str(item) for item in kept)


def as_date(name: str, value: Any, problems: list[str]) -> date | None:
    """A field that holds a date; a date-time counts with its day."""
    if isinstance(value, datetime):
        return value.date()
    if value is None or isinstance(value, date):
        return value
    try:
        return datetime.fromisoformat(str(value).strip()).date()
    except ValueError:
        problems.append(f"`{name}` is not a date like 2026-01-31: {str(value)[:40]!r}")
        return None


def _kind(value: Any) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", list: "a list"}
    names |= {dict: "a mapping", date: "a date", datetime: "a date"}
    return names.get(type(value), type(value).__name__)
