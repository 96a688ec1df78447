"""What became of a decision, read from what is stored."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlmodel import Session

from memory_core.proposals import files
from memory_core.proposals import proposal as states
from memory_core.proposals.proposal import items_of, row_of


@dataclass(frozen=True, slots=True)
class Outcome:
    """Numbers of items by what became of them; `commit` is "" where none was made.

    `notices` say what a person should know: a commit that waits, a file left uncommitted,
    a run that was stale. `proposal` is 0 for an undo.
    """

    applied: tuple[int, ...] = ()
    conflicted: tuple[int, ...] = ()
    skipped: tuple[int, ...] = ()
    rejected: tuple[int, ...] = ()
    commit: str = ""
    files: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    proposal: int = 0


def group_of(number: int) -> str:
    """The name under which a proposal's files and commit are owed."""
    return f"proposal-{number}"


def proposal_of(group: str) -> int:
    """The proposal behind a change's name; 0 for an undo."""
    kind, _, number = group.partition("-")
    return int(number) if kind == "proposal" else 0


def outcome(session: Session, number: int, notices: Iterable[str] = ()) -> Outcome:
    """The outcome of a proposal as it stands."""
    row = row_of(session, number)
    items = [item for item in items_of(session, number) if item.number]
    owed = files.of_group(session, group_of(number))

    def numbers(state: str) -> tuple[int, ...]:
        return tuple(item.number for item in items if item.state == state)

    return Outcome(
        applied=numbers(states.APPLIED),
        conflicted=numbers(states.CONFLICTED),
        skipped=numbers(states.SKIPPED),
        rejected=numbers(states.REJECTED),
        commit=row.commit,
        files=tuple(sorted(one.file for one in owed if one.done and not one.conflict)),
        notices=(*(row.notices if row.state == states.FAILED else ()), *notices),
        proposal=number,
    )
