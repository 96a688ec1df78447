"""Proposals as people read them: Markdown, one line, a short diff; nothing invisible stays so.

Secrets that the user's own file holds are marked, not shown: a proposal is published.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from memory_core.proposals import proposal as states
from memory_core.proposals import question_lines
from memory_core.proposals.item import Evidence
from memory_core.proposals.proposal import Numbered, Proposal
from memory_core.redaction import redacted
from memory_core.text import clean
from memory_core.vault.note import shortened

LINE = 160  # characters of an item's line
CONTEXT = 200  # lines of a diff
_MARKUP = frozenset("\\`*_[]<>#|~!&")
_LEADS = re.compile(r"^(\d*)([-+=.)])")  # what would begin a list or a rule
_HIDDEN = ("Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp")
_BREAKS = re.compile("[\u0085\u2028\u2029]")  # lines that end unseen
_SAID = {
    "user": "said by the user",
    "agent": "said by the agent",
    "tool": "in tool output",
    "web": "on a web page",
    "file": "from a file",
    "": "without evidence",
}


_RAN = "a command the agent ran"


def provenance(source: str) -> str:
    """Where a text comes from, in words."""
    return _SAID.get(source, f"from {visible(source)}")


def source_of(item: Numbered) -> str:
    """Where the text of an item comes from: the least trusted of its evidence, in words."""
    named = [piece for piece in item.evidence if piece.source == item.provenance]
    if named and all(piece.input for piece in named):
        return _RAN
    return provenance(item.provenance)


def said(piece: Evidence) -> str:
    """Where a piece of evidence comes from: `said by the user, turn 9 of session 1a2b3c4d`."""
    if piece.source == "file":
        line = f"line {piece.turn} of " if piece.turn else ""
        return f"from {line}{visible(piece.session)}"
    session = f" of session {visible(piece.session)[:8]}" if piece.session else ""
    source = _RAN if piece.input else provenance(piece.source)
    return f"{source}, turn {piece.turn}{session}"


def visible(text: str) -> str:
    """The text with every character that does not show written as an escape."""
    if (text.isascii() or not _BREAKS.search(text)) and clean(text) == text:
        return text
    return "".join(char if _shows(char) else _escape(char) for char in text)


def objections(item: Numbered) -> list[tuple[str, str]]:
    """What a panel objects to an item: each model's name and its paragraph."""
    said = item.detail.get("objections") or ()
    return [(str(one.get("model", "")), str(one.get("says", ""))) for one in said]


def one_line(item: Numbered) -> str:
    """`3. revise postgres.md: …  (+12)`; the state where it is not open."""
    head = f"{item.number}. {item.action} {visible(place_of(item))}: {visible(item.title)}"
    state = "" if item.state == states.OPEN else f"  [{item.state}{_why(item)}]"
    return f"{shortened(head, LINE)}  ({item.growth:+,}){state}"


def diff(item: Numbered) -> list[str]:
    """Lines that go with `- `, lines that come with `+ `, others with two spaces."""
    before, after = _told(item, item.before), _told(item, item.after)
    if item.action == "move":
        to = visible(str(item.detail.get("to", "")))
        if item.detail.get("title"):  # a whole note: once is enough to read
            return [f"  to the new note {to}:", *(f"+ {line}" for line in before)]
        return [*(f"- {line}" for line in before), f"  to {to}:", *(f"+ {line}" for line in before)]
    if item.action == "drop" or not before:
        lines = [*(f"- {line}" for line in before), *(f"+ {line}" for line in after)]
    else:
        lines = [line for line in difflib.ndiff(before, after) if not line.startswith("? ")]
    if item.action == "merge":
        lines += _merged(item)
    return lines[:CONTEXT] + ([f"  … {len(lines) - CONTEXT} more"] if len(lines) > CONTEXT else [])


def place_of(item: Any) -> str:
    """What an item changes, as a person calls it."""
    return "the working set" if item.kind == "question" else str(item.target)


def _told(item: Numbered, text: str) -> list[str]:
    """A text of an item line by line; of a question a field a line."""
    if item.kind == "question" and text:
        return [line for one in question_lines.told(text) for line in _lines(one)]
    return _lines(text)


def _merged(item: Numbered) -> list[str]:
    """The memories that a merge forgets, each with its text."""
    lines, texts = [], item.detail.get("texts", {})
    for name in map(str, item.detail.get("merges", ())):
        told = _lines(str(texts.get(name, "")))
        lines += [f"- {visible(name)}{':' if told else ''}", *(f"-   {line}" for line in told)]
    return lines


def markdown(proposal: Proposal) -> str:
    """The whole proposal as a Markdown document."""
    parts = [f"# Proposal {proposal.id}: {proposal.routine} of {inline(proposal.subject)}", ""]
    parts += [f"{inline(proposal.summary)}", ""] if proposal.summary else []
    for notice in proposal.notices:
        parts += [f"> {inline(notice)}", ""]
    parts += [f"State: **{proposal.state}**{_cost(proposal.cost)}", ""]
    for item in proposal.numbered:
        parts += _section(item)
    unfit = [item for item in proposal.items if not item.number]
    if unfit:
        parts += [f"## {len(unfit)} more, for the next run", ""]
        parts += [f"- {one.action} {inline(place_of(one))}: {inline(one.title)}" for one in unfit]
    return "\n".join(parts).rstrip() + "\n"


def _section(item: Numbered) -> list[str]:
    state = "" if item.state == states.OPEN else f" — {item.state}{inline(_why(item))}"
    carried = ", carried over from an earlier run" if item.carried else ""
    parts = [f"## {item.number}. {item.action} {inline(place_of(item))}{state}", ""]
    parts += [f"{inline(item.title)}", ""]
    for name in ("description", "reason", "effect"):
        if told := str(item.detail.get(name) or ""):
            parts += [f"{name.capitalize()}: {inline(told)}", ""]
    parts += [*_fenced(diff(item), "diff"), ""]
    parts += [f"{item.growth:+,} characters; {source_of(item)}{carried}", ""]
    quotes = [f"- {inline(said(piece))}: {inline(piece.quote)}" for piece in item.evidence]
    parts += [*quotes, *([""] if quotes else [])]
    for model, says in objections(item):
        parts += [f"**Objection** of {inline(model)}: {inline(says)}", ""]
    return parts


def _fenced(lines: Sequence[str], language: str) -> list[str]:
    longest = max((len(line) - len(line.lstrip("`")) for line in map(str.strip, lines)), default=0)
    inside = max((line.count("`") for line in lines), default=0)
    fence = "`" * max(3, longest + 1, inside + 1)
    return [f"{fence}{language}", *lines, fence]


def inline(text: str) -> str:
    """One line that is data, not Markdown: markup characters are escaped."""
    line = " ".join(visible(redacted(text)).split())
    line = "".join(f"\\{char}" if char in _MARKUP else char for char in line)
    return _LEADS.sub(r"\1\\\2", line, count=1)


def _lines(text: str) -> list[str]:
    return [visible(line) for line in redacted(text).splitlines()]


def _why(item: Numbered) -> str:
    return f": {visible(item.reason)}" if item.reason else ""


def _cost(cost: Any) -> str:
    told = [f"{name} {value}" for name, value in sorted(cost.items()) if value]
    return f" — cost: {', '.join(told)}" if told else ""


def _shows(char: str) -> bool:
    return char in "\n\t" or unicodedata.category(char) not in _HIDDEN


def _escape(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
