"""Findings: what a session showed to be so, each with the quotes that show it.

A finding is one or a few sentences of one person or agent, word for word. It counts when
it is worth enough by itself (weighing.py) and by what stands around it (standing.py).
What was taken back, or passes on an order found in data, counts nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from memory_core.proposals.item import Evidence
from memory_core.record.exchange import Exchange
from memory_core.routines import backing, commands, cues, statements, weighing
from memory_core.routines.commands import Remedy
from memory_core.routines.standing import Standing
from memory_core.routines.statements import Row, Statement
from memory_core.text import clean, one_line

NEXT_TO = 1.5  # worth from where sentences of a row make a finding together
CONTINUES = 1.0  # worth from where one that speaks of "it" does
COMPANION = 2.5  # worth from where one comes along with a finding
LONGEST = 600  # characters of a finding
JOINED = 450  # characters of findings that became one
TOGETHER = 8  # rows within which findings about the same thing are one
_SHARED = 2  # content words that make two findings speak of the same thing
_SUBJECT = re.compile(
    r"^(?:and |but |og |und )?(.{3,40}?) (?:is|are|was|were|lies|er|var|ligger|ist|war|liegt) ",
    re.IGNORECASE,
)
_LONGEST_COMMAND = 120
_ONE_OFF = re.compile(r"\d{5,}|\d{4}-\d\d-\d\d|/tmp/|\b[a-z]+_\d\w*|\[redacted:")
REACH = 3  # rows before a sentence in which a call may be what it speaks of


@dataclass(frozen=True, slots=True)
class Finding:
    """`said` are its sentences in order; `rule` that a person stated it as one.

    `lead` names the subject where the sentences have a pronoun, `command` is the full
    call where they name none or only its beginning.
    """

    said: tuple[Statement, ...]
    evidence: tuple[Evidence, ...]
    value: float
    rule: bool = False
    every_session: bool = False
    lead: str = ""
    command: str = ""

    @property
    def order(self) -> int:
        """Where in the session it was said last."""
        return self.said[-1].row.order

    @property
    def terms(self) -> frozenset[str]:
        """What it is about."""
        return frozenset().union(*(one.terms for one in self.said))

    @property
    def size(self) -> int:
        """Characters of its sentences."""
        return sum(len(one.text) + 1 for one in self.said)


class Session:
    """A session as evidence; `poison` holds what in its data gives orders."""

    def __init__(self, exchanges: Sequence[Exchange]) -> None:
        self.rows = statements.rows(exchanges)
        self._said = [statements.statements(row) for row in self.rows]
        self._standing = Standing(self.rows, self._said)

    @property
    def poison(self) -> Sequence[str]:
        """The pieces of data that give orders."""
        return self._standing.poison

    def findings(self) -> list[Finding]:
        """The findings, in order; those about the same thing are one."""
        found: list[Finding] = []
        for row, own in zip(self.rows, self._said, strict=True):
            if own and (finding := self._of_row(row, own)):
                _take(found, finding)
        return found

    def _of_row(self, row: Row, own: list[Statement]) -> Finding | None:
        """The finding of a row: its best sentence with the neighbours that belong to it."""
        worth = {one: self._standing.worth(one, own) for one in own}
        limit = weighing.USER if row.source == "user" else weighing.AGENT
        best = max(own, key=lambda one: worth[one])
        least = COMPANION if worth[best] >= limit else NEXT_TO
        chosen = [one for one in own if one is best or worth[one] >= least]
        total = worth[best] + 0.5 * sum(worth[one] for one in chosen if one is not best)
        if worth[best] < NEXT_TO or total < limit:
            return None
        return self._finding(row, _completed(chosen, own, worth), total)

    def _finding(self, row: Row, chosen: list[Statement], total: float) -> Finding:
        text = " ".join(one.text for one in chosen)
        quotes = [*_quotes(row, chosen), *backing.quotes(chosen, self.rows, self.poison)]
        lead, led_by = self._lead(chosen)
        command, called = self._command(row, text)
        quotes += [piece for piece in (led_by, called) if piece]
        said_by_user = row.source == "user"
        return Finding(
            tuple(chosen), tuple(dict.fromkeys(quotes)), round(total, 2),
            said_by_user and bool(cues.STANDING.search(text)),
            said_by_user and bool(cues.EVERY_SESSION.search(text)), lead, command,
        )  # fmt: skip

    def _lead(self, chosen: list[Statement]) -> tuple[str, Evidence | None]:
        """The subject of what a correction took back."""
        row, first = chosen[0].row, chosen[0]
        for taken in self._standing.taken_by(row):
            if (match := _SUBJECT.match(taken.text)) and statements.content(match[1]):
                return f"{match[1]}:", _quote(taken.row, match[1])
        if first.place == 0 and row.source == "agent" and cues.ANAPHOR.match(first.text):
            asked = self._standing.question_before(row)
            if asked and len(asked.text) <= _LONGEST_COMMAND:
                return asked.text.rstrip("?？ ") + "?", _quote(asked.row, asked.text)
        return "", None

    def _command(self, row: Row, text: str) -> tuple[str, Evidence | None]:
        """The call that worked: the remedy it explains, or one whose beginning it names."""
        if row.source != "agent":
            return "", None
        names = statements.named(text)
        if not names and (remedy := self._explained(row, text)):
            return remedy.command, backing.quote(remedy.worked, remedy.command)
        for other in reversed(self.rows[max(0, row.order - REACH) : row.order]):
            whole = other.span.input.strip()
            parts = commands.parts(whole) if other.span.name else ()
            for part in parts:
                if part not in names and any(_shortens(name, part) for name in names):
                    return part, backing.quote(other, part)
        return "", None

    def _explained(self, row: Row, text: str) -> Remedy | None:
        told = statements.content(text)
        near = [r for r in self._standing.remedies if 0 < row.order - r.worked.order <= 2]
        return next(
            (r for r in near if any(statements.content(word) & told for word in r.added)), None
        )


def _shortens(name: str, command: str) -> bool:
    """Whether a name is the beginning of a command, or the word in it that matters."""
    if len(command) > _LONGEST_COMMAND or _ONE_OFF.search(command):
        return False
    if " " in name:
        return command.startswith(f"{name} ")
    return len(name) >= 8 and "/" not in name and name in command.split()[1:]


def _take(found: list[Finding], finding: Finding) -> None:
    """Add a finding, or make it one with an earlier one that speaks of the same thing."""
    for at, other in reversed(list(enumerate(found))):
        alike = other.said[0].row.source == finding.said[0].row.source
        near = finding.order - other.order <= TOGETHER
        shared = len(other.terms & finding.terms)
        if alike and near and shared >= _SHARED and other.size + finding.size <= JOINED:
            found[at] = _joined(other, finding)
            return
    found.append(finding)


def _joined(one: Finding, other: Finding) -> Finding:
    return replace(
        one,
        said=(*one.said, *other.said),
        evidence=tuple(dict.fromkeys((*one.evidence, *other.evidence))),
        value=max(one.value, other.value) + 0.5,
        rule=one.rule or other.rule,
        every_session=one.every_session or other.every_session,
        command=one.command or other.command,
    )


def _completed(
    chosen: list[Statement], own: list[Statement], worth: dict[Statement, float]
) -> list[Statement]:
    """The sentences with what their pronouns point to and short ones between them."""
    kept = set(chosen)
    for one in chosen:
        before = own[one.place - 1] if one.place else None
        if before and cues.ANAPHOR.match(one.text) and worth[before] > weighing.NOTHING:
            kept.add(before)
    for before, one in pairwise(own):
        if before in kept and worth[one] >= CONTINUES and cues.CONTINUES.match(one.text):
            kept.add(one)
    for before, one, after in zip(own, own[1:], own[2:], strict=False):
        if {before, after} <= kept and weighing.is_short(one.text):
            kept.add(one)
    ordered = sorted(kept, key=lambda one: one.place)
    while len(ordered) > 1 and sum(len(one.text) + 1 for one in ordered) > LONGEST:
        ordered.remove(min(ordered, key=lambda one: worth[one]))
    return ordered


def _quotes(row: Row, said: list[Statement]) -> list[Evidence]:
    """The sentences as quotes, word for word; those that follow one another as one."""
    whole = one_line(clean(row.span.text))
    told: list[str] = []
    for one in said:
        together = [f"{told[-1]}{gap}{one.text}" for gap in (" ", "") if told]
        longer = next((text for text in together if text in whole), "")
        if longer:
            told[-1] = longer
        else:
            told.append(one.text)
    return [_quote(row, text) for text in told]


def _quote(row: Row, text: str) -> Evidence:
    return Evidence(row.session, row.turn, row.span.source, text, row.span.ref, row.at)
