"""The queue of proposals: opened by a run, filled once, respectful of a person's patience.

At most `items_a_run` items get a number, what earlier runs left first, then by value. A newer
run takes over what an undecided older one of the same routine and subject still has.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlmodel import Session, col, select

from memory_core.errors import BadInput
from memory_core.proposals import bookmark, consolidated, opening, selection, standing
from memory_core.proposals import proposal as states
from memory_core.proposals.item import Item
from memory_core.proposals.proposal import Proposal, items_of, loaded, of_row, row_of
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.store.tables import ItemRow, ProposalRow

refresh = standing.refresh
Summary = str | Callable[[int], str]


def open_run(
    database: Database,
    *,
    routine: str,
    subject: str,
    run: str,
    user: str,
    scope: str,
    window: Mapping[str, Any],
) -> Proposal:
    """The proposal of a run, made at the first call; later calls get its frozen window.

    A run whose proposal was rejected, taken over or given up is opened anew, under its
    name with a number.
    """
    if not (routine and subject and run and user):
        raise BadInput("a run needs routine, subject, run and user", remedy="name all four")
    with database.write() as session:
        row = opening.opened(
            session, run, routine=routine, subject=subject, user=user, scope=scope,
            window=dict(window),
        )  # fmt: skip
        return loaded(session, row)


def offer(
    database: Database,
    root: Path,
    settings: Settings,
    proposal_id: int,
    items: Sequence[Item],
    *,
    summary: Summary = "",
    notices: Sequence[str] = (),
    cost: Mapping[str, Any] | None = None,
) -> Proposal:
    """Number and store what a run found, once; the same call again changes nothing.

    A `summary` that counts the items takes their number, which is known here alone.
    With nothing to approve the proposal is `empty` and the bookmark moves. Raises
    `BadInput` for a malformed item, `NotFound`.
    """
    with database.write() as session:
        row = row_of(session, proposal_id, lock=True)
        _fill(session, row, root, settings, items, summary, notices, cost)
        return loaded(session, row)


def offer_at_once(
    database: Database,
    root: Path,
    settings: Settings,
    items: Sequence[Item],
    *,
    summary: Summary = "",
    notices: Sequence[str] = (),
    keep: bool = True,
    **run: Any,
) -> Proposal:
    """Open a run, with the arguments of `open_run`, and fill it, in one transaction.

    With nothing to approve, or with `keep` false, nothing is stored: what is returned is what
    would be. The same run while its proposal waits gives that proposal; when that is over, a
    new one. Raises as `offer`.
    """
    with contextlib.suppress(_NotKept), database.write() as session:
        row = opening.opened(session, over=opening.ENDED, **run)
        _fill(session, row, root, settings, items, summary, notices, None)
        found = loaded(session, row)
        if not keep or found.state == states.EMPTY:
            raise _NotKept
    return found


class _NotKept(Exception):
    """Rolls a transaction back."""


def get(database: Database, id: int) -> Proposal:
    """One proposal with its items.

    Raises `NotFound`.
    """
    with database.read() as session:
        return loaded(session, row_of(session, id))


def waiting(
    database: Database,
    *,
    user: str | None = None,
    root: Path | None = None,
    settings: Settings | None = None,
) -> list[Proposal]:
    """Proposals that wait for a decision, oldest first; of one user, or of all.

    With `root` and `settings` items whose target moved are marked stale before.
    """
    if root is not None and settings is not None:
        refresh(database, root, settings)
    query = select(ProposalRow).where(ProposalRow.state == states.OPEN)
    if user is not None:
        query = query.where(ProposalRow.user == user)
    with database.read() as session:
        return _loaded(session, session.exec(query.order_by(col(ProposalRow.id))).all())


def listed(
    database: Database,
    *,
    limit: int = 20,
    root: Path | None = None,
    settings: Settings | None = None,
) -> list[Proposal]:
    """The newest proposals, whatever their state; stale marks as in `waiting`."""
    if root is not None and settings is not None:
        refresh(database, root, settings)
    query = select(ProposalRow).order_by(col(ProposalRow.id).desc()).limit(limit)
    with database.read() as session:
        return _loaded(session, session.exec(query).all())


def wait_at(database: Database, id: int, flow_run: str) -> None:
    """Note which run of the orchestrator waits for the decision; "" = none any more."""
    with database.write() as session:
        row = row_of(session, id, lock=True)
        row.flow_run = flow_run
        session.add(row)


def superseded_runs(database: Database) -> list[str]:
    """The orchestrator's runs that wait for superseded proposals and are to be cancelled.

    After cancelling one, `wait_at(database, id, "")` or `cancelled` takes it off the list.
    """
    query = select(ProposalRow.flow_run).where(
        ProposalRow.state == states.SUPERSEDED, ProposalRow.flow_run != ""
    )
    with database.read() as session:
        return list(session.exec(query.order_by(col(ProposalRow.id))).all())


def cancelled(database: Database, flow_run: str) -> None:
    """Note that a run of a superseded proposal is cancelled."""
    with database.write() as session:
        query = select(ProposalRow).where(
            ProposalRow.flow_run == flow_run, ProposalRow.state == states.SUPERSEDED
        )
        for row in session.exec(query).all():
            row.flow_run = ""
            session.add(row)


def fail(database: Database, id: int, reason: str, *, settings: Settings | None = None) -> Proposal:
    """End a run that could not offer anything; its window is read again by the next one."""
    with database.write() as session:
        row = row_of(session, id, lock=True)
        if row.state == states.DRAFTING:
            row.state = states.FAILED
            row.notices = [*row.notices, selection.text(reason)]
            consolidated.end(session, settings, row, latch=False)
            session.add(row)
        return loaded(session, row)


def _fill(
    session: Session,
    row: ProposalRow,
    root: Path,
    settings: Settings,
    items: Sequence[Item],
    summary: Summary,
    notices: Sequence[str],
    cost: Mapping[str, Any] | None,
) -> None:
    """Choose among what a run found and store it; nothing where that was done before."""
    if row.state != states.DRAFTING:
        return
    chosen = selection.choose(session, row, items, root, settings)
    row.summary = selection.text(summary if isinstance(summary, str) else summary(chosen.numbers))
    row.notices = [selection.text(said) for said in (*notices, *chosen.notices)]
    row.cost = dict(cost or {})
    _store(session, row, chosen, settings)


def _store(
    session: Session, row: ProposalRow, chosen: selection.Chosen, settings: Settings
) -> None:
    for older in chosen.superseded:
        _supersede(session, older)
    for item in chosen.rows:
        session.add(item)
    row.state = states.OPEN
    if chosen.overtaken:
        row.state = states.SUPERSEDED
    elif not any(item.number and item.state == states.OPEN for item in chosen.rows):
        row.state = states.EMPTY
        bookmark.move(session, row.routine, row.subject, row.window)
        session.flush()
        over = consolidated.over(settings, row, chosen.rows)
        consolidated.end(session, settings, row, latch=over)
    session.add(row)
    session.flush()


def _supersede(session: Session, older: ProposalRow) -> None:
    """Its open items are carried over; what it skipped is left for a next run as before."""
    older.state = states.SUPERSEDED
    session.add(older)
    for item in items_of(session, older.id or 0):
        if item.number and item.state in (states.OPEN, states.STALE):
            item.state = states.SUPERSEDED
            session.add(item)


def _loaded(session: Session, rows: Sequence[ProposalRow]) -> list[Proposal]:
    query = select(ItemRow).where(col(ItemRow.proposal).in_([row.id for row in rows]))
    items: dict[int, list[ItemRow]] = {}
    for item in session.exec(query).all():
        items.setdefault(item.proposal, []).append(item)
    return [of_row(row, items.get(row.id or 0, ())) for row in rows]
