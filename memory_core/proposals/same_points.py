"""Points of notes compared: which a text has, and whether one says the same words already."""

from __future__ import annotations

import re
from collections import Counter

from memory_core.text import clean, fold, one_line
from memory_core.vault.note import parse

_MARK = re.compile(r"^(?:[-*+]|\d{1,9}[.)])\s+")


def stands_in(text: str, file: str, point: str) -> bool:
    """Whether a point of the note says the same words already."""
    wanted = _plain(point)
    return any(_plain(known.text) == wanted for known in parse(text, file).points)


def counted(text: str) -> Counter[str]:
    """The points of a note's body, verbatim, each with how often it stands there."""
    return Counter(point.text for point in parse(text, "").points)


def _plain(text: str) -> str:
    return fold(_MARK.sub("", one_line(clean(text))))
