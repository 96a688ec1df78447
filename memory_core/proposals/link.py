"""A link of a note made to lead elsewhere: every `[[old]]` of it, and nothing in code.

What stands behind the name, as in `[[old|shown]]` or `[[old#part]]`, stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_core.errors import Conflict
from memory_core.vault import front_matter, points

_NAME = re.compile(r"[^\[\]|#\r\n]{1,200}")
_LINE = re.compile(r"[^\r\n]*")
_FENCE = re.compile(r"[ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})")
_CODE = re.compile(r"(`+)(?!`)[^\r\n]*?(?<!`)\1(?!`)")


def is_name(name: str) -> bool:
    """Whether a link can lead to a note of that name."""
    return bool(_NAME.fullmatch(name)) and name == name.strip() != ""


def lines(text: str, old: str, new: str) -> tuple[str, str]:
    """The lines with a link to `old`, and the same as they would be; each pair once."""
    pairs: dict[str, str] = {}
    made = replaced(text, old, new)
    for was, now in zip(_LINE.findall(text), _LINE.findall(made), strict=True):
        if was != now:
            pairs[was] = now
    return "\n".join(pairs), "\n".join(pairs.values())


def replaced(text: str, old: str, new: str) -> str:
    """The text with every link to `old` leading to `new`.

    Raises `Conflict` where no link leads there, or one stands where it cannot be told from code.
    """
    link = re.compile(rf"(\[\[[ \t]*){re.escape(old)}([ \t]*(?:[|#][^\[\]\r\n]{{0,200}})?\]\])")
    parts, at = [], 0
    for start, end in _prose(text):
        parts += [text[at:start], link.sub(lambda m: m[1] + new + m[2], text[start:end])]
        at = end
    made = "".join([*parts, text[at:]])
    if made == text:
        raise Conflict(
            f"no link [[{old}]] stands there", remedy="the next run looks at it anew", current=text
        )
    was, now = (points.read(each[front_matter.read(each).end :]).links for each in (text, made))
    if [new if name == old else name for name in was] != now:
        raise Conflict(f"[[{old}]] stands where only a person can mend it", current=text)
    return made


def _prose(text: str) -> Iterator[tuple[int, int]]:
    """Where the body's text stands that is neither in a fence nor in a code span."""
    fence = ""
    for found in _LINE.finditer(text, front_matter.read(text).end):
        mark = _FENCE.match(found[0])
        if mark and (not fence or (mark[1][0] == fence[0] and len(mark[1]) >= len(fence))):
            fence = "" if fence else mark[1]
            continue
        if fence:
            continue
        at = found.start()
        for code in _CODE.finditer(text, found.start(), found.end()):
            yield at, code.start()
            at = code.end()
        yield at, found.end()
