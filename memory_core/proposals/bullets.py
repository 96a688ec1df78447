"""Where a new point goes in a note's body, and the bullet that its neighbours have."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_core.text import one_line
from memory_core.vault import points

_BREAK = re.compile(r"\r\n?|\n")
_BULLET = re.compile(r"([ \t]*)([-*+]|\d{1,9}[.)])([ \t]+)")
_OWN = re.compile(r"[-*+][ \t]+|\d{1,9}[.)][ \t]+")
_BLOCK = re.compile(r"#{1,6}[ \t]|```|~~~|\||>|<")
_HEADING = re.compile(r"[ ]{0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*\Z")


@dataclass(frozen=True, slots=True)
class Slot:
    """`at` is an offset; `bullet` is the marker with its indent and space, "" for paragraphs.

    `apart`: a blank line belongs before the point. `parted`: one belongs behind it.
    """

    at: int
    bullet: str = ""
    apart: bool = True
    parted: bool = False
    heading_found: bool = True


def slot(text: str, body: int, heading: str = "") -> Slot:
    """The place after the last point of the body, or right below a heading's own points."""
    lines = _lines(text, body)
    known = points.read(text[body:]).points
    begin, end, there = _section(lines, heading)
    bullet = _bullet(lines, known)
    filled = [index for index in range(begin, end) if lines[index][1].strip()]
    if not filled and begin == 0:
        return Slot(body, bullet, heading_found=there)
    last = filled[-1] if filled else begin - 1
    at = lines[last][0] + len(lines[last][1])
    own = [point for point in known if begin < point.line <= end] if there else []
    bullet = _bullet(lines, own) or bullet
    return Slot(at, bullet, _apart(lines, own), parted=end < len(lines), heading_found=there)


def fitted(point: str, slot: Slot) -> str:
    """The point with the bullet of the place; headings, code and tables stay as they are."""
    point = point.strip("\r\n")
    if not slot.bullet or _BLOCK.match(point):
        return point
    indent, _, _ = _BULLET.fullmatch(slot.bullet).groups()  # type: ignore[union-attr]
    width = " " * len(slot.bullet)
    marked = _OWN.match(point)
    fitted = []
    for number, line in enumerate(_BREAK.split(point)):
        if (number == 0 or marked) and (own := _OWN.match(line)):
            fitted.append(slot.bullet + line[own.end() :])
        elif number == 0:
            fitted.append(slot.bullet + line)
        elif marked:
            fitted.append(indent + line if line.strip() else line)
        else:
            fitted.append(width + line if line.strip() else line)
    return "\n".join(fitted)


def _lines(text: str, body: int) -> list[tuple[int, str]]:
    """Offset and text of each line of the body, without line ends."""
    found, at = [], body
    for match in _BREAK.finditer(text, body):
        found.append((at, text[at : match.start()]))
        at = match.end()
    if at < len(text):
        found.append((at, text[at:]))
    return found


def _section(lines: list[tuple[int, str]], heading: str) -> tuple[int, int, bool]:
    """First and last line of where to look, and whether the heading is there."""
    if not heading:
        return 0, len(lines), True
    wanted = _name(heading)
    heads = _headings(lines)
    for place, (index, name) in enumerate(heads):
        if name == wanted:
            ends = (at for at, _ in heads[place + 1 :])
            return index + 1, next(ends, len(lines)), True
    return 0, len(lines), False


def _headings(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Line and name of each heading outside of code blocks."""
    found, fence = [], ""
    for index, (_, line) in enumerate(lines):
        mark = re.match(r"[ ]{0,3}(`{3,}|~{3,})", line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence and (head := _HEADING.match(line)):
            found.append((index, _name(head[1])))
    return found


def _name(heading: str) -> str:
    return one_line(heading.lstrip("# ")).casefold()


def _bullet(lines: list[tuple[int, str]], known: list[points.Point]) -> str:
    """The last outermost bullet among the points; a number is counted on."""
    marks = [_BULLET.match(lines[point.line - 1][1]) for point in known if _listed(point)]
    found = [mark for mark in marks if mark]
    if not found:
        return ""
    shallow = min(len(mark[1].expandtabs(4)) for mark in found)
    indent, mark, space = [m for m in found if len(m[1].expandtabs(4)) == shallow][-1].groups()
    if mark[0].isdigit():
        mark = f"{int(mark[:-1]) + 1}{mark[-1]}"
    return f"{indent}{mark}{space[:4]}"


def _listed(point: points.Point) -> bool:
    return _OWN.match(point.text) is not None


def _apart(lines: list[tuple[int, str]], own: list[points.Point]) -> bool:
    """Whether a blank line belongs before a further point, as between the last two."""
    if not own or not _listed(own[-1]):
        return True
    if len(own) < 2 or not _listed(own[-2]) or own[-2].heading != own[-1].heading:
        return False
    return not lines[own[-1].line - 2][1].strip()
