"""Points: the bullets, short paragraphs, code blocks and tables of a note's body.

Every point is a verbatim piece of the file. Nested bullets belong to their parent
unless the whole is long. A heading with nothing below it is a point of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

LONG = 320  # characters above which a list item or a quote is taken apart
HEADING = 120  # characters above which what Markdown calls a heading is a paragraph

_NEWLINE = re.compile(r"\r\n?|\n")
_MARKER = re.compile(r"\s*(?:[-*+]|#{1,6})[ \t]+")
_LINK = re.compile(r"\[\[([^\[\]|#\n]{1,200})(?:[|#][^\[\]\n]{0,200})?\]\]")
_CODE_SPAN = re.compile(r"(`+)[^`]*\1")


@dataclass(frozen=True, slots=True)
class Point:
    """One bullet, short paragraph or code block of a note, verbatim.

    `line` counts from 1 in the file; `heading` is the nearest heading above, or "".
    `atomic` is true for code blocks and list items, which a trim never cuts.
    """

    text: str
    line: int
    heading: str = ""
    atomic: bool = True

    @property
    def plain(self) -> str:
        """The text without its bullet, as the models read it."""
        marker = _MARKER.match(self.text)
        return self.text[marker.end() :] if marker else self.text


@dataclass(slots=True)
class Body:
    """What a body holds, in reading order, links repeated; `title` is its first heading."""

    points: list[Point] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    title: str = ""


def read(text: str, first_line: int = 1) -> Body:
    """Split a Markdown body; `first_line` is its first line's number in the file."""
    from markdown_it.tree import SyntaxTreeNode

    reader = _Reader(text, first_line)
    reader.visit(SyntaxTreeNode(_markdown().parse(text)))
    reader.flush_heading()
    return reader.body


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table").disable(["inline", "reference"])


class _Reader:
    def __init__(self, text: str, first_line: int) -> None:
        self.text, self.first_line = text, first_line
        self.starts = [0, *(match.end() for match in _NEWLINE.finditer(text)), len(text)]
        self.body = Body()
        self.heading = ""
        self.waiting: tuple[int, SyntaxTreeNode] | None = None  # a heading with nothing below yet

    def visit(self, node: SyntaxTreeNode) -> None:
        kind = node.type
        if kind == "heading":
            self._head(node)
        elif kind == "paragraph":
            self._add(node, atomic=node.parent is not None and node.parent.type == "list_item")
        elif kind in ("fence", "code_block", "table", "html_block"):
            self._add(node, atomic=True)
        elif kind in ("list_item", "blockquote") and len(self._slice(node)) <= LONG:
            self._add(node, atomic=kind == "list_item")
        else:
            for child in node.children:
                self.visit(child)

    def flush_heading(self) -> None:
        """Keep a heading that nothing follows."""
        if self.waiting:
            (_, node), self.waiting = self.waiting, None
            self._add(node, atomic=True)

    def _head(self, node: SyntaxTreeNode) -> None:
        words = " ".join(child.content for child in node.children).strip()
        if len(words) > HEADING or "\n" in words:
            self._add(node, atomic=False)
            return
        level = int(node.tag[1:])
        if self.waiting and level <= self.waiting[0]:
            self.flush_heading()
        self.heading = words
        self.body.title = self.body.title or words
        self.waiting = (level, node)

    def _add(self, node: SyntaxTreeNode, *, atomic: bool) -> None:
        self.waiting = None
        text = self._slice(node)
        self._collect_links(node)
        point = Point(text, self._line(node), self.heading, atomic)
        if point.plain.strip(" \t-*+#>\r\n"):
            self.body.points.append(point)

    def _slice(self, node: SyntaxTreeNode) -> str:
        first, last = node.map or (0, 0)
        text = self.text[self.starts[first] : self.starts[min(last, len(self.starts) - 1)]]
        text = text.rstrip().lstrip("\r\n")
        return text if node.type in ("code_block", "fence") else text.lstrip()

    def _line(self, node: SyntaxTreeNode) -> int:
        return self.first_line + (node.map or (0, 0))[0]

    def _collect_links(self, node: SyntaxTreeNode) -> None:
        for part in node.walk():
            if part.type == "inline":
                words = _CODE_SPAN.sub("", part.content) if "[[" in part.content else ""
                self.body.links += [match.strip() for match in _LINK.findall(words)]
