"""A page: a head and a foot that stay, and a body between them that can be longer than there is room.

Lines are `rich` texts without line breaks, measured in terminal cells.
"""  # noqa: E501

from __future__ import annotations

import io
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from rich.cells import cell_len
from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.text import Text

SMALLEST_BODY = 3


@dataclass(frozen=True, slots=True)
class Page:
    """What one screen shows, folded to its width already."""

    head: tuple[Text, ...]
    body: tuple[Text, ...]
    foot: tuple[Text, ...]

    def room(self, height: int) -> int:
        """Lines for the body on a screen of that height."""
        return max(SMALLEST_BODY, height - len(self.head) - len(self.foot))

    def furthest(self, height: int) -> int:
        """The offset at which the body's end is on the screen."""
        return max(0, len(self.body) - self.room(height))

    def step(self, height: int) -> int:
        """Lines that a page forward moves: all that are shown whole."""
        return max(1, self.room(height) - 2)

    def lines(self, width: int, height: int, offset: int) -> list[Text]:
        """Exactly what fits: the head, the body from `offset` on, the foot at the bottom."""
        room = self.room(height)
        offset = min(offset, self.furthest(height))
        shown = list(self.body[offset : offset + room])
        if above := offset:
            shown[0] = _hint(f"… {above + 1} lines above, u shows them")
        if (below := len(self.body) - offset - room) > 0:
            shown[-1] = _hint(f"… {below + 1} more lines, space shows them")
        shown += [Text("")] * (room - len(shown))
        return [cut(line, width) for line in (*self.head, *shown, *self.foot)][:height]


def fold(text: Text | str, width: int, *, first: str = "", rest: str | None = None) -> list[Text]:
    """Break into lines of at most `width` cells; `first` and `rest` stand before them."""
    text = Text(text) if isinstance(text, str) else text
    rest = " " * cell_len(first) if rest is None else rest
    room = max(4, width - max(cell_len(first), cell_len(rest)))
    folded = text.wrap(_console(), room, overflow="fold", tab_size=4) if text.plain else [text]
    return [
        Text.assemble((rest if number else first, text.style), line)
        for number, line in enumerate(folded)
    ]


def cut(line: Text, width: int) -> Text:
    """At most `width` cells of a line."""
    if cell_len(line.plain) > width:
        line = line.copy()
        line.truncate(width, overflow="ellipsis")
    return line


def sides(left: Text, right: Text, width: int) -> list[Text]:
    """Two texts on one line, at either end; below each other where the line is too short."""
    gap = width - cell_len(left.plain) - cell_len(right.plain)
    if gap < 2:
        return [*fold(left, width), *fold(right, width)]
    return [Text.assemble(left, " " * gap, right)]


def rule(width: int) -> Text:
    """A line across."""
    return Text("─" * width, style="dim")


def ansi(lines: Iterable[Text]) -> list[str]:
    """As the terminal understands it; without colour where NO_COLOR is set."""
    plain = bool(os.environ.get("NO_COLOR"))
    return ["".join(_pieces(line, plain)) for line in lines]


def _pieces(line: Text, plain: bool) -> Iterable[str]:
    segments: Iterable[Segment] = line.render(_console())
    for segment in Segment.remove_color(segments) if plain else segments:
        style = segment.style
        yield (
            style.render(segment.text, color_system=ColorSystem.STANDARD)
            if style
            else (segment.text)
        )


def _hint(text: str) -> Text:
    return Text(text, style="reverse")


@cache
def _console() -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=200, highlight=False)
