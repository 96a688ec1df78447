"""What did not hold at the end: guesses that were refuted, facts that were taken back.

A withdrawal is a sentence such as "no wait, that was the old one" or "it was not the
pool". It takes back the earlier statements that share its words, else the last claim
before it, and whatever merely repeats one of those.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_core.routines import cues
from memory_core.routines.statements import Statement

REACH = 14  # rows that a withdrawal looks back
NEAR = 4  # rows between a statement and what only repeats it
_ALIKE = 0.34  # share of the shorter statement's words
_OUTRIGHT = re.compile(
    r"\bno,? wait|\b(?:old|wrong) one\b|\btak(?:e|ing) (?:that|it) back|\bforget (?:what|that|it)"
    r"|scratch that|strike that|\bnei,? vent|\bden gamle\b|\bglem det|\bvergiss|\bzurück\b"
    r"|違いました|撤回|取り消",
    re.IGNORECASE,
)


class Withdrawals:
    """`gone` are the statements that a later one takes back.

    `outright` are those taken back with a new value at hand ("no wait, that was the old
    one"), by the order of the row that does.
    """

    def __init__(self, said: Sequence[Statement]) -> None:
        self.gone: set[Statement] = set()
        self.outright: dict[int, list[Statement]] = {}
        for statement in said:
            if _withdraws(statement):
                taken = _about(statement, _earlier(statement, said))
                taken |= _echoes(taken, said, before=statement)
                self.gone |= taken
                if _OUTRIGHT.search(statement.text) and statement.row.source == "user":
                    known = self.outright.setdefault(statement.row.order, [])
                    known += sorted(taken, key=lambda one: one.row.order)


def _earlier(statement: Statement, said: Sequence[Statement]) -> list[Statement]:
    return [
        other for other in said
        if 0 < statement.row.order - other.row.order <= REACH
        and not _is_question(other) and not _withdraws(other)
    ]  # fmt: skip


def _withdraws(statement: Statement) -> bool:
    return bool(cues.WITHDRAWN.search(statement.text)) and not _is_question(statement)


def _is_question(statement: Statement) -> bool:
    return bool(cues.QUESTION.search(statement.text))


def _about(statement: Statement, earlier: list[Statement]) -> set[Statement]:
    """The statements that it shares words with; else the last claim of the row before it."""
    alike = {other for other in earlier if _shares(other, statement)}
    if alike or not _OUTRIGHT.search(" ".join(statement.row.said)):
        return alike
    for other in reversed(earlier):
        claims = [one for one in earlier if one.row is other.row and len(one.terms) >= 2]
        echo = other.row.source == "agent" and statement.row.source == "user"
        if claims and (echo or other.row.source == statement.row.source):
            return set(claims)
    return set()


def _shares(one: Statement, other: Statement) -> bool:
    shared = len(one.terms & other.terms)
    return shared >= 2 and shared >= _ALIKE * min(len(one.terms), len(other.terms))


def _echoes(gone: set[Statement], said: Sequence[Statement], before: Statement) -> set[Statement]:
    """Earlier statements that hold the same numbers or names as what was taken back."""
    found: set[Statement] = set()
    for one in gone:
        marks = {term for term in one.terms if any(map(str.isdigit, term))}
        for other in said:
            near = abs(other.row.order - one.row.order) <= NEAR
            if other in gone or not near or other.row.order >= before.row.order:
                continue
            shared = one.terms & other.terms
            if other.terms and (other.terms <= one.terms or (marks <= shared and len(shared) >= 2)):
                found.add(other)
    return found
