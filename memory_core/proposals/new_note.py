"""The text of a note that is not there yet: front matter from an item's detail, then a body."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from pathlib import PurePosixPath
from typing import Any, Protocol

from memory_core.proposals.edit import newline_of, with_newlines
from memory_core.text import clean, fold, one_line
from memory_core.vault import front_matter, points
from memory_core.vault.note import DESCRIPTION, shortened


class Described(Protocol):
    """What is read of an item."""

    @property
    def title(self) -> str: ...
    @property
    def detail(self) -> Mapping[str, Any]: ...


def rendered(file: str, body: str, item: Described, moment: datetime) -> str:
    """The whole text; a body that brings its own front matter is left as it is.

    `detail` may hold key, description, scope and tags; otherwise the file's name is the
    key and the item's title the description.
    """
    if front_matter.read(body).end:
        return body
    return _head(file, item, moment.astimezone().date()) + body


def split_off(file: str, piece: str, item: Described, source: str) -> str:
    """The whole text of a note that a piece of the text `source` becomes, verbatim.

    `detail` holds its title, which is left out where the piece begins with it, and what
    `rendered` reads. It is as old as its source: no point is any newer.
    """
    updated = front_matter.read(source).values.get("updated")
    head = _head(file, item, updated if isinstance(updated, (date, str)) else None)
    title, own = _line(item.detail.get("title")), points.read(piece).title
    if fold(title) != fold(own):
        head += f"# {title}\n\n"
    newline = newline_of(source)
    return with_newlines(head, newline) + piece.rstrip("\r\n") + newline


def _head(file: str, item: Described, updated: date | str | None) -> str:
    detail = item.detail
    values: dict[str, Any] = {
        "key": _line(detail.get("key")) or PurePosixPath(file).stem,
        "description": shortened(_line(detail.get("description") or item.title), DESCRIPTION),
        "scope": _several(detail.get("scope")),
        "tags": _several(detail.get("tags")),
        "updated": updated,
    }
    return f"---\n{_yaml({name: value for name, value in values.items() if value})}---\n\n"


def _yaml(values: dict[str, Any]) -> str:
    import yaml

    dump: Any = yaml.safe_dump
    return str(dump(values, sort_keys=False, allow_unicode=True, width=10_000))


def _line(value: Any) -> str:
    return one_line(clean(str(value or "")))


def _several(value: Any) -> list[str]:
    """A list of short texts; a tag may be `[kind, id]`."""
    if not isinstance(value, (list, tuple)):
        return [_line(value)] if value else []
    joined = (
        ":".join(map(str, part)) if isinstance(part, (list, tuple)) else part for part in value
    )
    return [line for line in map(_line, joined) if line]
