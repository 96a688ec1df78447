"""A list of memories as text: copied from a settings page, or written out by a model on request.

One memory a line, a bullet or a paragraph; `[2025-03-01] - text`, `1. [2025-03-01]. text` and
code fences around the list are known. The dates go, the words stay.
"""

from __future__ import annotations

import re
from pathlib import Path

from memory_core.importers.blocks import bare, blocks
from memory_core.importers.files import read_text
from memory_core.importers.piece import Piece, Reading

_FENCE = re.compile(r"^\s*(?:```|~~~)[^\n]*$", re.MULTILINE)
_DATED = re.compile(
    r"^\s*(?:[-*+]\s+|\d{1,4}[.)]\s+)?\[(?:\d{4}-\d\d(?:-\d\d)?|unknown|date unknown|no date)\]"
    r"\s*[.:–—-]*\s*",
    re.IGNORECASE,
)
_HEADING = re.compile(r"#{1,6}\s|\*\*[^*]+\*\*:?\s*$")
_MARKED = re.compile(r"\s*(?:[-*+]\s|\d{1,4}[.)]\s)")


def read(path: Path, kind: str) -> Reading:
    """The memories of a text file, all of them about the user.

    Raises `BadInput`, `NotFound`.
    """
    pieces = statements(read_text(path), path.name)
    return Reading(kind, pieces)


def statements(text: str, file: str) -> list[Piece]:
    """One piece for every memory of such a list."""
    text = _FENCE.sub("", text)
    lines = [line for line in text.splitlines() if line.strip()]
    dated = sum(bool(_DATED.match(line)) for line in lines)
    if lines and (dated * 2 >= len(lines) or not any(map(_MARKED.match, lines))):
        return [
            Piece(told, file, number, personal=True)
            for number, line in enumerate(text.splitlines(), start=1)
            if not _HEADING.match(line.strip()) and (told := without_date(line))
        ]
    return [
        Piece(without_date(block.text), file, block.line, personal=True) for block in blocks(text)
    ]


def without_date(line: str) -> str:
    """The memory of one line, without its bullet, number and date."""
    return bare(_DATED.sub("", line, count=1)).strip()
