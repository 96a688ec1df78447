"""Markdown as statements: points that need their neighbours to be understood stay with them.

A line that ends with a colon keeps its list, code keeps the paragraph above it, and what is
no statement (headings, comments, rules) goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory_core.text import one_line
from memory_core.vault import front_matter, points

JOINED = 2000  # characters up to which a lead keeps its list

_CODE = re.compile(r"```|~~~|\||<(?!https?:)")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])\s")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_RULE = re.compile(r"[-*_=\s]*")
_BOLD = re.compile(r"(?:\*\*|__)([^*_\n]{1,120})(?:\*\*|__):?")
_MARK = re.compile(r"^(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")


@dataclass(frozen=True, slots=True)
class Block:
    """A statement as it stands in the text; `line` counts from 1."""

    text: str
    line: int
    heading: str = ""


def blocks(text: str) -> list[Block]:
    """The statements of a Markdown text, without its front matter."""
    matter = front_matter.read(text)
    head, body = text[: matter.end], text[matter.end :]
    body = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), body)
    made: list[Block] = []
    for block in _statements(body, 1 + head.count("\n")):
        if made and _belongs(made[-1], block):
            last = made.pop()
            gap = "\n" if _ITEM.match(block.text) else "\n\n"
            block = Block(last.text + gap + block.text, last.line, last.heading)
        made.append(block)
    return made


def bare(text: str) -> str:
    """The statement without its bullet."""
    return _MARK.sub("", text.strip(), count=1)


def _statements(body: str, first_line: int) -> Iterator[Block]:
    heading, above = "", ""
    for point in points.read(body, first_line).points:
        text = point.text.strip("\n")
        if point.heading != above:
            heading = above = point.heading
        if text.startswith("#") or _RULE.fullmatch(text):
            continue
        if bold := _BOLD.fullmatch(one_line(text)):
            heading = bold[1].strip(" :")
            continue
        yield Block(text, point.line, heading)


def _belongs(last: Block, block: Block) -> bool:
    """Whether a block is understood only after the one above it."""
    if last.heading != block.heading or len(last.text) + len(block.text) > JOINED:
        return False
    if _CODE.match(block.text) or block.text.startswith("    "):
        return not _CODE.match(last.text.splitlines()[-1])
    lead = last.text.splitlines()[0].rstrip()
    if not _ITEM.match(block.text) or _ITEM.match(lead):
        return False
    return lead.endswith(":") and all(
        _ITEM.match(line) or line[:1] in ("", " ", "\t") for line in last.text.splitlines()[1:]
    )
