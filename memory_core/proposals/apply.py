"""Carry a decision out exactly once, however often it is tried and wherever it is killed.

One transaction holds the items' states, the memories, the ledger, the bookmark and an
outbox row for each file and for the commit. Then every file is written once, then one git
commit is made. Each step is known to be done by what it leaves behind.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from sqlmodel import Session, col, select

from memory_core.errors import Conflict, WellkeptError
from memory_core.proposals import bookmark, consolidated, files, owing
from memory_core.proposals import proposal as states
from memory_core.proposals.lock import Journal, one_writer
from memory_core.proposals.outcome import Outcome, group_of, outcome, proposal_of
from memory_core.proposals.proposal import items_of, row_of
from memory_core.proposals.transaction import Transaction
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.store.tables import ProposalRow

__all__ = ["Outcome", "apply", "drain"]

STALE_RUN = "another run read this window meanwhile; what was open comes first in the next run"
_OVER = (states.REJECTED, states.APPLIED, states.FAILED)


def apply(database: Database, root: Path, settings: Settings, id: int) -> Outcome:
    """Carry out what was decided about a proposal; repeating it changes nothing more.

    Raises `Conflict` for a proposal that nobody decided, `NotFound`, `VaultError` where
    the vault cannot be written: the decision then stays, and a later call finishes it.
    """
    with one_writer(database) as journal:
        _finish_others(database, root.resolve(), settings, group_of(id))
        _write(database, root.resolve(), settings, id, journal)
        with database.read() as session:
            written = row_of(session, id).applied_at is not None
            if not written:  # the run was rejected, or stale
                return outcome(session, id)
        return owing.finish(database, root.resolve(), settings, group_of(id))


def drain(database: Database, root: Path, settings: Settings) -> list[Outcome]:
    """Finish what an earlier process left: files, commits, decisions not yet applied.

    What cannot be finished now is said in the notices of its outcome, and stays owed.
    """
    outcomes = []
    with one_writer(database):  # which takes away what a killed process staged
        for group in owing.groups(database, root.resolve()):
            try:
                outcomes.append(owing.finish(database, root.resolve(), settings, group))
            except WellkeptError as error:
                outcomes.append(Outcome(notices=(str(error),), proposal=proposal_of(group)))
    tried = {outcome.proposal for outcome in outcomes}
    for number in _decided(database, settings):
        if number in tried:
            continue
        try:
            outcomes.append(apply(database, root, settings, number))
        except WellkeptError as error:
            outcomes.append(Outcome(notices=(str(error),), proposal=number))
    return outcomes


def _finish_others(database: Database, root: Path, settings: Settings, own: str) -> None:
    """What a killed process owes comes first: items stand on the texts that it decided."""
    for group in owing.groups(database, root):
        if group != own:
            with contextlib.suppress(WellkeptError):  # it stays owed, and `drain` says why
                owing.finish(database, root, settings, group)


def _write(database: Database, root: Path, settings: Settings, id: int, journal: Journal) -> None:
    """The one transaction; nothing where it was committed before."""
    with files.Staging(journal, settings.always_loaded) as staging:
        with database.write() as session:
            row = row_of(session, id, lock=True)
            if row.state in _OVER or row.applied_at is not None:
                return
            if row.decision is None or row.state != states.DECIDED:
                raise Conflict(f"proposal {id} is {row.state}", remedy="decide it first")
            if bookmark.move(session, row.routine, row.subject, row.window):
                Transaction(session, database, root, settings, row).run(staging)
            else:
                _give_up(session, settings, row)
        staging.keep()


def _give_up(session: Session, settings: Settings, row: ProposalRow) -> None:
    """The run is stale: nothing is changed, its items come first next time."""
    row.state, row.notices = states.FAILED, [*row.notices, STALE_RUN]
    for item in items_of(session, row.id or 0):
        if item.state in (states.OPEN, states.STALE):
            item.state, item.reason = states.SKIPPED, STALE_RUN
            session.add(item)
    consolidated.end(session, settings, row, latch=False)
    session.add(row)


def _decided(database: Database, settings: Settings) -> list[int]:
    """Decisions of which something is still to be done, oldest first.

    With a database that several hosts share, those of this user: others' vaults are elsewhere.
    """
    query = select(ProposalRow.id).where(ProposalRow.state == states.DECIDED)
    if database.shared:
        query = query.where(ProposalRow.user == settings.user)
    with database.read() as session:
        return [number for number in session.exec(query.order_by(col(ProposalRow.id))) if number]
