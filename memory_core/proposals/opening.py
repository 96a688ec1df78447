"""Opening a proposal: one a run, one a window, and one run that owns it.

A run's name is unique, so whoever opens the same run or the same window gets the same row.
A run takes a proposal by writing its own id on it; another may take it when that run is gone.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from memory_core.proposals import proposal as states
from memory_core.proposals.proposal import Proposal, loaded, row_of
from memory_core.store.database import Database
from memory_core.store.tables import BookmarkRow, ProposalRow, now

UNREAD = (states.REJECTED, states.SUPERSEDED, states.FAILED)  # their window is read again
ENDED = (*UNREAD, states.APPLIED, states.EMPTY)


def opened(
    session: Session, run: str, over: Collection[str] = UNREAD, **values: Any
) -> ProposalRow:
    """The row of a run, made by the first who asks for it.

    Where rows of that name are in a state of `over`, the next one has a number: `run#2`.
    """
    names = itertools.chain([run], (f"{run}#{number}" for number in itertools.count(2)))
    for name in names:
        row = session.exec(select(ProposalRow).where(ProposalRow.run == name)).first()
        if row is None or row.state not in over:
            break
    if row is None:
        row = ProposalRow(
            run=name, state=states.DRAFTING, notices=[], cost={}, created_at=now(), decision=None,
            **values,
        )  # fmt: skip
        try:
            with session.begin_nested():
                session.add(row)
        except IntegrityError:  # another process opened it meanwhile
            row = session.exec(select(ProposalRow).where(ProposalRow.run == name)).one()
    return row


def open_next(
    database: Database,
    *,
    routine: str,
    subject: str,
    user: str,
    scope: str,
    end: Callable[[Session, int], int],
    detail: Mapping[str, Any] | None = None,
) -> Proposal:
    """The proposal for what nobody decided yet: the one that is being drafted, else a new window.

    The window is `{since, until}`, from the bookmark to `end(session, since)`, with `detail`
    besides. Called again with nothing new it gives the same proposal while that is undecided.
    """
    with database.write() as session:
        row = session.exec(_drafting(routine, subject)).first()
        if row is None:
            mark = session.get(BookmarkRow, (routine, subject), with_for_update=True)
            since = mark.position if mark else 0
            until = max(since, end(session, since))
            row = opened(
                session, f"{routine}:{subject}:{since}:{until}", over=ENDED, routine=routine,
                subject=subject, user=user, scope=scope,
                window={**(detail or {}), "since": since, "until": until},
            )  # fmt: skip
        return loaded(session, row)


def open_anew(
    database: Database, *, routine: str, subject: str, user: str, window: Mapping[str, Any]
) -> Proposal:
    """The proposal of a look at a subject as it is: the one that is being drafted, else a new one.

    A new one also while an older one waits; there is no bookmark to move.
    """
    over = (*ENDED, states.OPEN, states.DECIDED)
    with database.write() as session:
        row = session.exec(_drafting(routine, subject)).first() or opened(
            session, f"{routine}:{subject}", over=over, routine=routine, subject=subject,
            user=user, scope="", window=dict(window),
        )  # fmt: skip
        return loaded(session, row)


def drafts(database: Database, routine: str, subject: str) -> list[Proposal]:
    """Proposals of a subject that a run is drafting, or was when it died; oldest first."""
    with database.read() as session:
        return [loaded(session, row) for row in session.exec(_drafting(routine, subject)).all()]


def held_by(database: Database, flow_run: str) -> Proposal | None:
    """The proposal that a run of the orchestrator has taken."""
    query = select(ProposalRow).where(ProposalRow.flow_run == flow_run)
    with database.read() as session:
        row = session.exec(query.order_by(col(ProposalRow.id).desc())).first()
        return loaded(session, row) if row else None


def take(database: Database, id: int, flow_run: str, lives: Callable[[str], bool]) -> str:
    """Make a proposal a run's own; returns the run that has it: this one, or one that `lives`.

    Raises `NotFound`.
    """
    while True:
        with database.read() as session:
            holder = row_of(session, id).flow_run
        if holder not in ("", flow_run) and lives(holder):
            return holder
        with database.write() as session:
            row = row_of(session, id, lock=True)
            if row.flow_run == holder:
                row.flow_run = flow_run
                session.add(row)
                return flow_run


def _drafting(routine: str, subject: str) -> Any:
    asked = ProposalRow.routine == routine, ProposalRow.subject == subject
    query = select(ProposalRow).where(*asked, ProposalRow.state == states.DRAFTING)
    return query.order_by(col(ProposalRow.id))
