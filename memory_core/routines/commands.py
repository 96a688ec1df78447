"""Commands that failed and then worked, and what differed.

A later call of the same tool that resembles a failed one and went well is its remedy.
What differs are the words that the remedy has and the failed command has not.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from memory_core.routines.statements import Row
from memory_core.text import one_line

REACH = 8  # rows between a failed command and its remedy
_LIKE = 0.5
_LONGEST = 240
_ERROR = re.compile(
    r"(?im)^.{0,200}?\b(?:error|fatal|failed|failure|refused|rejected|denied|not found|no such"
    r"|cannot"
    r"|can't|unable to|too many|invalid|unknown (?:option|command)|traceback|exception|abort(?:ed)?"
    r"|exit (?:code |status )?[1-9]\d*|stopped|fehler|feil|mislykt\w*|feilet|abgelehnt|エラー"
    r"|失敗)\b.*$"
)
_NO_ERROR = re.compile(
    r"\b(?:0|no) (?:errors?|failed|failures?|problems?)\b|\bfailed[:=] ?0\b", re.I
)


@dataclass(frozen=True, slots=True)
class Remedy:
    """`command` worked where `failed` gave the line `error`; `added` are its own words."""

    failed: Row
    worked: Row
    command: str
    error: str
    added: tuple[str, ...]


def remedies(rows: Sequence[Row]) -> list[Remedy]:
    """Each failed command with the first later one that did it."""
    return [found for at, row in enumerate(rows) if (found := _remedy(rows, at, row)) is not None]


def failure(row: Row) -> str:
    """The line that says why a call failed; empty when it went well or does not say."""
    if row.span.failed is False:
        return ""
    output = _NO_ERROR.sub("", row.span.output[:4000])
    match = _ERROR.search(output)
    if match:
        return one_line(match.group())[:_LONGEST]
    return one_line(output.split("\n")[-1])[:_LONGEST] if row.span.failed else ""


def _remedy(rows: Sequence[Row], at: int, row: Row) -> Remedy | None:
    if not row.span.name or not row.span.input or not (error := failure(row)):
        return None
    for later in rows[at + 1 : at + 1 + REACH]:
        if later.span.name != row.span.name or failure(later):
            continue
        for command in parts(later.span.input):
            for failed in parts(row.span.input):
                added = _added(failed, command)
                if added and _alike(failed, command):
                    return Remedy(row, later, command, error, added)
    return None


def parts(text: str) -> Iterator[str]:
    """The commands of a line, without what only looks at their output."""
    line = one_line(text)[:2000]
    yield from (
        part.strip() for part in re.split(r"\s*(?:&&|\|\||;|\|)\s*", line)
        if 2 <= len(part.strip()) <= _LONGEST
    )  # fmt: skip


def _added(failed: str, worked: str) -> tuple[str, ...]:
    before = set(_words(failed))
    return tuple(word for word in _words(worked) if word not in before)


def _alike(one: str, other: str) -> bool:
    first, second = _words(one), _words(other)
    programs = {word for word in first if re.match(r"^[\w./-]+$", word)} & set(second)
    return bool(programs) and SequenceMatcher(None, first, second).ratio() >= _LIKE


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()
