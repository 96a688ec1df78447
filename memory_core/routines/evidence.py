"""Findings: what a session showed to be so, each with the quotes that show it.

A finding is one or a few sentences of one person or agent, word for word. It counts when
it is worth enough by itself (weighing.py) and by what stands around it: an output that
backs it, a failure before it, a person who agrees. What was taken back, or passes on an
order found in data, counts nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory_core.proposals.item import Evidence
from memory_core.record.exchange import Exchange
from memory_core.routines import backing, commands, cues, poisoned, statements, weighing
from memory_core.routines.statements import Row, Statement
from memory_core.routines.withdrawn import withdrawn

NEXT_TO = 1.5  # worth from where a neighbouring sentence comes along
LONGEST = 600  # characters of a finding
_CHANGES = re.compile(
    r"\b(?:I|we) (?:will |'ll |now )?(?:change|changed|fix|fixed|correct|corrected|replace|replaced|rename|"
    r"remove|removed|repair|repaired|delete|deleted)\b|\bjeg (?:endrer|retter|fikser)\b"
    r"|\bich (?:ändere|korrigiere|behebe)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Finding:
    """`said` are its sentences in order; `rule` that a person stated it as one."""

    said: tuple[Statement, ...]
    evidence: tuple[Evidence, ...]
    value: float
    rule: bool = False
    every_session: bool = False
    command: str = ""  # the command that worked, where the sentences name none

    @property
    def order(self) -> int:
        """Where in the session it was said."""
        return self.said[0].row.order

    @property
    def terms(self) -> frozenset[str]:
        """What it is about."""
        return frozenset().union(*(one.terms for one in self.said))


def findings(exchanges: Sequence[Exchange]) -> list[Finding]:
    """The findings of a session, in order."""
    rows = statements.rows(exchanges)
    return _Session(rows).findings()


class _Session:
    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows
        self.said = statements.statements(rows)
        self.gone = withdrawn(self.said)
        self.poison = poisoned.pieces(rows)
        self.remedies = commands.remedies(rows)

    def findings(self) -> list[Finding]:
        found = []
        for row in self.rows:
            own = [one for one in self.said if one.row is row]
            if own and row.source in ("user", "agent"):
                found += self._of_row(row, own)
        return found

    def _of_row(self, row: Row, own: list[Statement]) -> list[Finding]:
        """The finding of a row: its best sentence with the neighbours that belong to it."""
        worth = {one: self._worth(one, own) for one in own}
        limit = weighing.USER if row.source == "user" else weighing.AGENT
        best = max(own, key=lambda one: worth[one])
        chosen = [one for one in own if worth[one] >= NEXT_TO]
        total = worth[best] + 0.5 * sum(worth[one] for one in chosen if one is not best)
        if worth[best] < NEXT_TO or total < limit:
            return []
        chosen = _with_antecedents(chosen, own, worth)
        return [self._finding(row, chosen, total)]

    def _finding(self, row: Row, chosen: list[Statement], total: float) -> Finding:
        text = " ".join(one.text for one in chosen)
        quotes = [_quote(row, " ".join(one.text for one in chosen))]
        quotes += backing.quotes(chosen, self.rows, self.poison)
        remedy = next((r for r in self.remedies if self._explains(row, r, text)), None)
        rule = row.source == "user" and bool(cues.STANDING.search(text))
        every = row.source == "user" and bool(cues.EVERY_SESSION.search(text))
        command = ""
        if remedy and not statements.named(text):
            command = remedy.command
            quotes.append(backing.quote(remedy.worked, remedy.command))
        return Finding(tuple(chosen), tuple(quotes), round(total, 2), rule, every, command)

    def _explains(self, row: Row, remedy: commands.Remedy, text: str) -> bool:
        near = 0 < row.order - remedy.worked.order <= 2
        return (
            row.source == "agent"
            and near
            and any(statements.content(word) & statements.content(text) for word in remedy.added)
        )

    def _worth(self, one: Statement, own: list[Statement]) -> float:
        if one in self.gone or poisoned.is_poisoned(one, self.poison, self.rows):
            return -9.0
        worth = weighing.worth(one)
        if worth <= -9.0:
            return worth
        if one.row.source == "user":
            asks = any(cues.REQUEST.search(other.text) for other in own if other is not one)
            return worth - 1.5 * (asks and not cues.STANDING.search(one.text))
        worth += 1.0 * backing.is_backed(one, self.rows)
        worth += 1.0 * self._is_agreed(one.row) + 1.0 * self._follows_failure(one.row)
        worth += 2.0 * self._names_remedy(one)
        return worth - 2.0 * self._is_repaired(one)

    def _is_agreed(self, row: Row) -> bool:
        later = next((r for r in self.rows[row.order + 1 :] if r.source == "user"), None)
        return later is not None and bool(cues.AGREED.search(later.span.text))

    def _follows_failure(self, row: Row) -> bool:
        before = self.rows[max(0, row.order - 3) : row.order]
        return any(r.span.name and commands.failure(r) for r in before)

    def _names_remedy(self, one: Statement) -> bool:
        return any(
            remedy.worked.order - 6 <= one.row.order <= remedy.worked.order + 3
            and any(len(word) > 3 and word in one.text for word in remedy.added)
            for remedy in self.remedies
        )

    def _is_repaired(self, one: Statement) -> bool:
        """A state that somebody sets right in the sentences after it."""
        if cues.STANDING.search(one.text) or re.search(r"\b(?:must|ha(?:s|ve) to)\b", one.text):
            return False
        later = [o for o in self.said if o.row.source == "agent"
                 and 0 <= o.row.order - one.row.order <= 3 and o is not one
                 and (o.row is not one.row or o.place > one.place)]  # fmt: skip
        return any(_CHANGES.search(other.text) for other in later)


def _with_antecedents(
    chosen: list[Statement], own: list[Statement], worth: dict[Statement, float]
) -> list[Statement]:
    """The sentences with those that their pronouns point to, within `LONGEST` characters."""
    kept = set(chosen)
    for one in chosen:
        if cues.ANAPHOR.match(one.text) and one.place and worth[own[one.place - 1]] > -9.0:
            kept.add(own[one.place - 1])
    ordered = sorted(kept, key=lambda one: one.place)
    while len(ordered) > 1 and sum(len(one.text) + 1 for one in ordered) > LONGEST:
        ordered.remove(min(ordered, key=lambda one: worth[one]))
    return ordered


def _quote(row: Row, text: str) -> Evidence:
    return Evidence(row.session, row.turn, row.span.source, text, row.span.ref, row.at)
