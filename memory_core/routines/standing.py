"""How a sentence stands in its session: what backs it, agrees with it, undoes it.

Adds to what a sentence is worth by itself (weighing.py).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from memory_core.routines import backing, commands, cues, poisoned, weighing
from memory_core.routines.statements import Row, Statement
from memory_core.routines.withdrawn import Withdrawals

_CHANGES = re.compile(
    r"\b(?:I|we) (?:will |'ll |now )?(?:change|fix|correct|replace|rename|remove|repair|delete|set"
    r"|move|split)(?:e?d|s)?\b|\bjeg (?:endrer|retter|fikser)\b|\bich (?:ändere|korrigiere"
    r"|behebe)\b",
    re.IGNORECASE,
)
_BARE = 3  # words with which a withdrawal says nothing beside
_VALUE = re.compile(r"\d|(?<=\w )[A-ZÆØÅÄÖÜ]\w")  # a number or a name
_IT = re.compile(r"\b(?:it|them|both|that|this|these|all|den|det|dem|es|sie|das)\b", re.I)
_BINDS = re.compile(
    r"\b(?:must|ha(?:s|ve) to|should not|right|otherwise|or else|skal|må|muss|sonst|ellers)\b", re.I
)


class Standing:
    """The sentences of one session in their surroundings, row by row."""

    def __init__(self, rows: Sequence[Row], said: Sequence[Sequence[Statement]]) -> None:
        self._rows, self._said = rows, said
        self.withdrawals = Withdrawals([one for own in said for one in own])
        self.poison = poisoned.pieces(rows)
        self.remedies = commands.remedies(rows)
        self._users = [row.order for row in rows if row.source == "user"]
        self._first = self._users[0] if self._users else -1
        self._first_call = next((row.order for row in rows if row.span.name), len(rows))

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
            return max(weighing.NOTHING, worth + self._around_user(one, own))
        return worth + self._around_agent(one, own)

    def _around_user(self, one: Statement, own: Sequence[Statement]) -> float:
        if one.row.order == self._first and cues.EACH_TIME.search(one.text):
            return -3.0  # what happens each time is the trouble itself
        corrects = 0.0
        if self.taken_by(one.row):
            if cues.WITHDRAWN.search(one.text):
                return 0.0 if len(one.terms) > _BARE else 2 * weighing.NOTHING
            corrects = 3.0 if _VALUE.search(one.text) else 1.5
        if cues.STANDING.search(one.text) or cues.PREFERENCE.search(one.text):
            return corrects
        asks = any(cues.REQUEST.search(other.text) for other in own if other is not one)
        opens = one.row.order == self._first and not cues.DECISION.search(one.text)
        troubled = opens and any(cues.TROUBLE.search(other.text) for other in own)
        return corrects - 1.5 * (asks or troubled) - 0.5 * opens

    def _around_agent(self, one: Statement, own: Sequence[Statement]) -> float:
        backed = backing.is_backed(one, self._rows)
        good = 1.0 * backed + 1.0 * backing.is_carried_out(one, self._rows)
        good += 1.0 * self._is_agreed(one.row) + 1.0 * self._follows_failure(one.row)
        good += 2.0 * self._names_remedy(one)
        asked = self.question_before(one.row) is not None
        looked = self._first_call < one.row.order
        good += 0.5 * (asked and looked) - 4.0 * (asked and not looked)
        leads_to_guess = any(o.place == one.place + 1 and cues.GUESS.search(o.text) for o in own)
        return good - 3.0 * self._is_repaired(one) - 2.5 * leads_to_guess

    def _is_agreed(self, row: Row) -> bool:
        at = bisect_right(self._users, row.order)
        if at == len(self._users):
            return False
        return bool(cues.AGREED.search(self._rows[self._users[at]].span.text))

    def question_before(self, row: Row) -> Statement | None:
        """The question that the person's last words were."""
        at = bisect_left(self._users, row.order)
        asked = [
            one
            for one in (self._said[self._users[at - 1]] if at else ())
            if cues.QUESTION.search(one.text) or cues.REQUEST.search(one.text)
        ]
        return asked[-1] if asked else None

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
        later = [
            other
            for own in self._said[one.row.order : one.row.order + 4]
            for other in own
            if other.row.source == "agent" and (other.row is not one.row or other.place > one.place)
        ]
        return any(
            _CHANGES.search(other.text) and (_IT.search(other.text) or one.terms & other.terms)
            for other in later
        )
