"""How a sentence stands in its session: what backs it, agrees with it, undoes it.

Adds to what a sentence is worth by itself (weighing.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_core.routines import backing, commands, cues, poisoned, weighing
from memory_core.routines.statements import Row, Statement
from memory_core.routines.withdrawn import Withdrawals

_CHANGES = re.compile(
    r"\b(?:I|we) (?:will |'ll |now )?(?:change|fix|correct|replace|rename|remove|repair|delete|set"
    r"|move|split)(?:e?d|s)?\b|\bjeg (?:endrer|retter|fikser)\b|\bich (?:ändere|korrigiere|behebe)\b",
    re.IGNORECASE,
)
_BINDS = re.compile(
    r"\b(?:must|ha(?:s|ve) to|should not|right|otherwise|or else|skal|må|muss|sonst|ellers)\b", re.I
)


class Standing:
    """The sentences of one session in their surroundings."""

    def __init__(self, rows: Sequence[Row], said: Sequence[Statement]) -> None:
        self._rows, self._said = rows, said
        self.withdrawals = Withdrawals(said)
        self.poison = poisoned.pieces(rows)
        self.remedies = commands.remedies(rows)
        self._first = next((row.order for row in rows if row.source == "user"), -1)

    def taken_by(self, row: Row) -> list[Statement]:
        """What the row takes back outright."""
        return self.withdrawals.outright.get(row.order, [])

    def worth(self, one: Statement, own: Sequence[Statement]) -> float:
        """The worth of a sentence; `own` are all of its row."""
        if one in self.withdrawals.gone or poisoned.is_poisoned(one, self.poison, self._rows):
            return weighing.NOTHING
        worth = weighing.worth(one)
        if worth <= weighing.NOTHING:
            return worth
        if one.row.source == "user":
            return worth + self._around_user(one, own)
        return worth + self._around_agent(one, own)

    def _around_user(self, one: Statement, own: Sequence[Statement]) -> float:
        corrects = 1.5 * bool(self.taken_by(one.row) and not cues.WITHDRAWN.search(one.text))
        if cues.STANDING.search(one.text) or cues.PREFERENCE.search(one.text):
            return corrects
        asks = any(cues.REQUEST.search(other.text) for other in own if other is not one)
        opens = one.row.order == self._first and not cues.DECISION.search(one.text)
        return corrects - 1.5 * (asks or opens)

    def _around_agent(self, one: Statement, own: Sequence[Statement]) -> float:
        backed = backing.is_backed(one, self._rows)
        good = 1.0 * backed + 1.0 * backing.is_carried_out(one, self._rows)
        good += 1.0 * self._is_agreed(one.row) + 1.0 * self._follows_failure(one.row)
        good += 2.0 * self._names_remedy(one)
        asked = self._asked(one.row)
        looked = any(row.span.name for row in self._rows[: one.row.order])
        good += 0.5 * (asked and looked) - 4.0 * (asked and not looked)
        leads_to_guess = any(o.place == one.place + 1 and cues.GUESS.search(o.text) for o in own)
        return good - 3.0 * self._is_repaired(one) - 1.5 * leads_to_guess

    def _is_agreed(self, row: Row) -> bool:
        later = next((r for r in self._rows[row.order + 1 :] if r.source == "user"), None)
        return later is not None and bool(cues.AGREED.search(later.span.text))

    def _asked(self, row: Row) -> bool:
        """Whether the person's last words were a question."""
        before = next((r for r in reversed(self._rows[: row.order]) if r.source == "user"), None)
        return before is not None and any(
            cues.QUESTION.search(text) or cues.REQUEST.search(text) for text in before.said
        )

    def _follows_failure(self, row: Row) -> bool:
        before = self._rows[max(0, row.order - 3) : row.order]
        return any(r.span.name and commands.failure(r) for r in before)

    def _names_remedy(self, one: Statement) -> bool:
        return any(
            remedy.worked.order - 6 <= one.row.order <= remedy.worked.order + 3
            and any(len(word) > 3 and word in one.text for word in remedy.added)
            for remedy in self.remedies
        )

    def _is_repaired(self, one: Statement) -> bool:
        """A state that somebody sets right in the sentences after it."""
        if cues.STANDING.search(one.text) or _BINDS.search(one.text):
            return False
        return any(
            _CHANGES.search(other.text)
            for other in self._said
            if other.row.source == "agent"
            and 0 <= other.row.order - one.row.order <= 3
            and (other.row is not one.row or other.place > one.place)
        )
