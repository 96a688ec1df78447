"""What a text leaves open it closes, so that nothing behind it in a note is swallowed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_core.vault import points

_FENCE = re.compile(r"(?m)^([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}|~{3,})")
_OTHERS = ("-->", "</pre>", "</script>", "</style>", "</textarea>", "?>", "]]>")
_BEHIND = "what follows"


def closed(text: str, before: str = "") -> str:
    """The text with its code fence, comment or the like closed.

    One that replaces a `before` that left one open may do so too.
    """
    if not _swallows(text) or (before and _swallows(before)):
        return text
    return next((made for made in _closings(text) if not _swallows(made)), text)


def _swallows(text: str) -> bool:
    """Whether a paragraph behind the text would not be one of its own."""
    if not any(mark in text for mark in ("```", "~~~", "<")):
        return False
    last = points.read(f"{text}\n\n{_BEHIND}").points[-1:]
    return [point.text for point in last] != [_BEHIND]


def _closings(text: str) -> Iterator[str]:
    for found in reversed(list(_FENCE.finditer(text))):
        yield f"{text}\n{' ' * len(found[1].expandtabs(4))}{found[2]}"
    for mark in _OTHERS:
        yield f"{text}\n{mark}"
