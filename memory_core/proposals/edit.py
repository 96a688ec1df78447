"""Changes to a note's text: one verbatim piece is replaced, goes, or comes last.

Everything outside of the piece stays byte for byte: line ends, a byte order mark, a
missing line end at the end of the file. Only a front matter's `updated` moves along.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from memory_core.errors import Conflict
from memory_core.proposals import bullets
from memory_core.vault import front_matter

_BREAK = re.compile(r"\r\n?|\n")
_BLANK_NEXT = re.compile(r"(?:\r\n?|\n)[ \t]*(?:[\r\n]|\Z)")
_UPDATED = re.compile(
    r"(?m)^(updated[ \t]*:[ \t]*[\"']?)\d{4}-\d\d?-\d\d?"
    r"(?:([Tt ])(\d\d:\d\d)(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?)?(?=[\"']?[ \t]*(?:#.*)?\r?$)"
)


def newline_of(text: str) -> str:
    """The line end that most lines of a text have."""
    windows, unix, mac = text.count("\r\n"), text.count("\n"), text.count("\r")
    if windows * 2 > unix:
        return "\r\n"
    return "\n" if unix or not mac else "\r"


def with_newlines(piece: str, newline: str) -> str:
    """The piece with that line end throughout."""
    return _BREAK.sub(lambda _: newline, piece)


def found(text: str, piece: str) -> tuple[int, int]:
    """Where the piece stands, whatever line ends it has; whole lines before parts of lines.

    Raises `Conflict` unless it stands there exactly once.
    """
    lines = r"(?:\r\n?|\n)".join(map(_pattern, _BREAK.split(piece.strip("\r\n"))))
    whole = re.compile(rf"(?:(?<=[\r\n\ufeff])|(?<![\s\S]))[ \t]*({lines})(?=[ \t]*(?:[\r\n]|\Z))")
    places = [match.span(1) for match in whole.finditer(text)]
    if not places:
        places = [match.span() for match in re.finditer(lines, text)]
    if len(places) == 1:
        return places[0]
    said = f"stands there {len(places)} times" if places else "no longer stands there"
    raise Conflict(f"what it changes {said}", remedy="the next run looks at it anew", current=text)


def revised(text: str, before: str, after: str) -> str:
    """`before` replaced by `after`; raises as `found`."""
    start, end = found(text, before)
    return text[:start] + with_newlines(after.strip("\r\n"), newline_of(text)) + text[end:]


def dropped(text: str, before: str) -> str:
    """The text without `before`; of whole lines nothing stays behind. Raises as `found`."""
    start, end = found(text, before)
    first = start - len(text[:start]) + len(text[:start].rstrip(" \t"))
    last = end + len(text[end:]) - len(text[end:].lstrip(" \t"))
    opens = first == 0 or text[first - 1] in "\r\n\ufeff"
    closing = _BREAK.match(text, last)
    if not opens or not (closing or last == len(text)):
        return _joined(text[:start], text[end:])
    head, tail = text[:first], text[closing.end() if closing else last :]
    if not closing:
        return _without_break(head)
    if _blank_before(head) and (not tail.strip() or _BREAK.match(tail)):
        return _without_break(head) + tail  # one blank line is enough
    return head + tail


def added(text: str, point: str, heading: str = "") -> str:
    """The text with a point after the last one, or after the last one below a heading.

    The point takes the bullets of its neighbours. A heading that is not there is made.
    """
    newline = newline_of(text)
    body = front_matter.read(text).end
    slot = bullets.slot(text, body, heading)
    fitted = with_newlines(bullets.fitted(point, slot), newline)
    if heading and not slot.heading_found:
        fitted = f"## {heading}{newline}{newline}{fitted}"
    head, tail = text[: slot.at], text[slot.at :]
    gap = newline * (2 if slot.apart else 1)
    if not head[body:].strip():  # the first of the body
        gap = newline if body > 1 else ""
        gap += newline if head and head[-1] not in "\r\n\ufeff" else ""
    if slot.parted and not _BLANK_NEXT.match(tail):
        fitted += newline
    if not tail and not text[body:].strip():
        fitted += newline
    return head + gap + fitted + tail


def stamped(text: str, moment: datetime) -> str:
    """The text with the front matter's `updated` set to the moment, in the shape it has."""
    matter = front_matter.read(text)
    if "updated" not in matter.values:
        return text
    head = text[: matter.end]
    return _UPDATED.sub(lambda match: _stamp(match, moment), head, count=1) + text[matter.end :]


def _pattern(line: str) -> str:
    """What matches a line; a broken byte was read as U+FFFD."""
    return re.escape(line).replace("\ufffd", "(?:\ufffd|[\udc80-\udcff]{1,3})")


def _stamp(match: re.Match[str], moment: datetime) -> str:
    lead, sign, clock, seconds, _, zone = match.groups()
    moment = moment.astimezone(UTC) if zone else moment.astimezone()
    stamp = f"{lead}{moment:%Y-%m-%d}"
    if clock:
        stamp += f"{sign}{moment:%H:%M}" + (f"{moment:%S}".rjust(3, ":") if seconds else "")
    if zone:
        stamp += "Z" if zone == "Z" else "+00:00"
    return stamp


def _joined(head: str, tail: str) -> str:
    """Two halves of a line, with one space between them where both had one."""
    if head.endswith((" ", "\t")) and tail[:1] in (" ", "\t"):
        tail = tail[1:]
    return head + tail


def _without_break(text: str) -> str:
    """The text without its last line end."""
    if text.endswith("\r\n"):
        return text[:-2]
    return text[:-1] if text.endswith(("\n", "\r")) else text


def _blank_before(head: str) -> bool:
    """Whether the text ends with an empty line."""
    shorter = _without_break(head)
    return shorter != head and _without_break(shorter.rstrip(" \t")) != shorter.rstrip(" \t")
