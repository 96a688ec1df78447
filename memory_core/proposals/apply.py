"""Carry a decision out exactly once, however often it is tried and wherever it is killed.

One transaction holds the items' states, the memories, the ledger, the bookmark and an
outbox row for each file and for the commit. Then every file is written once, then one git
commit is made. Each step is known to be done by what it leaves behind.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlmodel import Session, col, select

from memory_core.banks.banks import open_banks
from memory_core.banks.writer import By, Writer
from memory_core.errors import Conflict, Permanent, WellkeptError
from memory_core.proposals import bookmark, commits, files, memories, standing
from memory_core.proposals import proposal as states
from memory_core.proposals.decision import chosen_of
from memory_core.proposals.desk import AlreadyThere, Desk, Edit, lay_all
from memory_core.proposals.lock import one_writer
from memory_core.proposals.proposal import items_of, row_of
from memory_core.proposals.records import note_row, unwritten_row
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.store.tables import ItemRow, ProposalRow, now

STALE_RUN = "another run read this window meanwhile; what was open comes first in the next run"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a decision: numbers of items, the commit, the files written."""

    applied: tuple[int, ...] = ()
    conflicted: tuple[int, ...] = ()
    skipped: tuple[int, ...] = ()
    rejected: tuple[int, ...] = ()
    commit: str = ""
    files: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    proposal: int = 0


def apply(database: Database, root: Path, settings: Settings, id: int) -> Outcome:
    """Carry out what was decided about a proposal; repeating it changes nothing more.

    Raises `Conflict` for a proposal that nobody decided, `NotFound`, `VaultError` where
    the vault cannot be written: the decision then stays, and a later call finishes it.
    """
    with one_writer():
        _write(database, root.resolve(), settings, id)
        return _finish(database, settings, id)


def drain(database: Database, root: Path, settings: Settings) -> list[Outcome]:
    """Finish what an earlier process left: files, commits, decisions not yet applied.

    What cannot be finished now is said in the notices of its outcome, and stays owed.
    """
    outcomes = []
    with one_writer():
        for group in _owing(database):
            try:
                outcomes.append(_finish_group(database, settings, group))
            except WellkeptError as error:
                outcomes.append(Outcome(notices=(str(error),), proposal=_number(group)))
    with database.read() as session:
        waiting = session.exec(
            select(ProposalRow.id)
            .where(ProposalRow.state == states.DECIDED, col(ProposalRow.applied_at).is_(None))
            .order_by(col(ProposalRow.id))
        ).all()
    for number in filter(None, waiting):
        try:
            outcomes.append(apply(database, root, settings, number))
        except WellkeptError as error:
            outcomes.append(Outcome(notices=(str(error),), proposal=number))
    return outcomes


def group_of(number: int) -> str:
    """The name under which a proposal's files and commit are owed."""
    return f"proposal-{number}"


def _write(database: Database, root: Path, settings: Settings, id: int) -> None:
    """The one transaction; nothing where it was committed before."""
    staged: list[files.Owed] = []
    try:
        with database.write() as session:
            row = row_of(session, id, lock=True)
            if row.state in (states.REJECTED, states.APPLIED, states.FAILED) or row.applied_at:
                return
            if row.decision is None or row.state != states.DECIDED:
                raise Conflict(f"proposal {id} is {row.state}", remedy="decide it first")
            if not bookmark.move(session, row.routine, row.subject, row.window):
                return _give_up(session, row)
            _Transaction(session, database, root, settings, row, staged).run()
    except BaseException:
        for owed in staged:
            files.unstage(owed, settings.always_loaded)
        raise


def _give_up(session: Session, row: ProposalRow) -> None:
    """The run is stale: nothing is changed, its items come first next time."""
    row.state, row.notices = states.FAILED, [*row.notices, STALE_RUN]
    for item in items_of(session, row.id or 0):
        if item.state in (states.OPEN, states.STALE):
            item.state, item.reason = states.SKIPPED, STALE_RUN
            session.add(item)
    session.add(row)


class _Transaction:
    """The changes of one decision inside an open transaction."""

    def __init__(
        self,
        session: Session,
        database: Database,
        root: Path,
        settings: Settings,
        row: ProposalRow,
        staged: list[files.Owed],
    ) -> None:
        assert row.id is not None and row.decision is not None
        self.session, self.row, self.staged = session, row, staged
        self.desk = Desk(root, settings)
        self.writer: Writer = open_banks(settings, database).writer(session)
        self.decision: dict[str, Any] = row.decision
        self.items = [item for item in items_of(session, row.id) if item.number]

    def run(self) -> None:
        chosen = chosen_of(self.decision, self.items)
        self._leave(item for item in self.items if item.number not in chosen)
        wanted = [item for item in self.items if item.number in chosen]
        self._memories([item for item in wanted if item.kind == "memory"])
        self._notes([item for item in wanted if item.kind != "memory"])
        self._owe()
        self.row.applied_at = now()
        self.session.add(self.row)
        self.session.flush()

    def _leave(self, items: Iterable[ItemRow]) -> None:
        for item in items:
            if item.number in self.decision["never"]:
                item.state = states.REJECTED
            elif item.state == states.OPEN:
                item.state = states.SKIPPED
            self.session.add(item)

    def _memories(self, items: list[ItemRow]) -> None:
        for item in items:
            try:
                with self.session.begin_nested():
                    number = memories.carry_out(self.session, self.writer, item, self._by(item))
                self._applied(item, number)
            except AlreadyThere as there:
                self._applied(item, None, there.message)
            except Permanent as refused:
                self._conflicted(item, refused.message)

    def _notes(self, items: list[ItemRow]) -> None:
        standing_ones = []
        for item in items:
            if reason := standing.moved(self.desk, item):
                self._conflicted(item, reason)
            else:
                standing_ones.append(item)
        for item, outcome in lay_all(self.desk, standing_ones):
            if isinstance(outcome, AlreadyThere):
                self._applied(item, None, outcome.message)
            elif isinstance(outcome, Conflict):
                self._conflicted(item, outcome.message)
            else:
                self._applied(item, self._ledger(item, outcome))

    def _ledger(self, item: ItemRow, edits: list[Edit]) -> int:
        return note_row(self.session, item.action, edits, self._by(item))

    def _by(self, item: ItemRow) -> By:
        actor = self.row.routine if self.decision["surface"] == "automatic" else "user"
        how = f"proposal {self.row.id} ({self.row.routine}) via {self.decision['surface']}"
        changed = ", edited" if "proposed" in item.detail else ""
        return By(actor, f"{how}{changed}: {item.title}", proposal=str(self.row.id))

    def _owe(self) -> None:
        """Outbox rows of the changed files and of the commit; the new texts are staged."""
        group = group_of(self.row.id or 0)
        desk = self.desk
        edits = {file: (desk.original(file), text) for file, text in desk.texts.items()}
        for file, (before, after) in edits.items():
            if before.sha256 != after.sha256:
                owed = files.Owed(group, desk.root, file, before, after)
                self.staged.append(owed)
                files.stage(owed, desk.settings.always_loaded)
                files.post(self.session, owed, desk.settings.always_loaded)
        standing.follow(self.session, desk, edits)
        applied = [item for item in self.items if item.state == states.APPLIED and item.ledger]
        commits.post(self.session, group, desk.root, self._subject(), self._lines(applied))

    def _subject(self) -> str:
        told = self.row.summary or f"{self.row.routine} of {self.row.subject}"
        return f"Apply proposal {self.row.id}: {told}"

    def _lines(self, applied: list[ItemRow]) -> list[str]:
        return [f"{item.number}. {item.action} {item.target}: {item.title}" for item in applied]

    def _applied(self, item: ItemRow, number: int | None, reason: str = "") -> None:
        item.state, item.ledger, item.reason = states.APPLIED, number, reason
        self.session.add(item)

    def _conflicted(self, item: ItemRow, reason: str) -> None:
        item.state, item.reason = states.CONFLICTED, reason
        self.session.add(item)


def _finish(database: Database, settings: Settings, id: int) -> Outcome:
    with database.read() as session:
        row = row_of(session, id)
        done = row.applied_at is None  # rejected, or the run was stale
    if done:
        return _outcome(database, id, ())
    return _finish_group(database, settings, group_of(id))


def _finish_group(database: Database, settings: Settings, group: str) -> Outcome:
    """Write what files a change owes, then commit."""
    write_files(database, group, settings.always_loaded)
    notices = commits.perform(database, group)
    number = _number(group)
    if not number:
        return Outcome(notices=notices)
    commit = commits.made(database, group)
    with database.write() as session:
        row = row_of(session, number, lock=True)
        if row.state == states.DECIDED or row.commit != commit:
            row.state, row.commit = states.APPLIED, commit
            session.add(row)
    return _outcome(database, number, notices)


def write_files(database: Database, group: str, always_loaded: str) -> None:
    """Bring every file of a change to its new text; what was changed meanwhile stays.

    Raises `VaultError`; what was not written stays owed.
    """
    with database.read() as session:
        owed = [one for one in files.of_group(session, group) if not one.done]
    moved = {one.file: files.difference(one, always_loaded) for one in owed}
    with database.read() as session:
        together = linked(session, group, {file for file, reason in moved.items() if reason})
    for one in owed:
        reason = moved[one.file] or together.get(one.file, "")
        if reason:
            files.unstage(one, always_loaded)
        else:
            reason = files.replace(one, always_loaded)
        with database.write() as session:
            files.settle(session, one, reason)
            if reason:
                _conflict(session, group, one.file, reason)


def linked(session: Session, group: str, blocked: set[str]) -> dict[str, str]:
    """Files that a move connects with one that cannot be written: they stay as well."""
    pairs = [
        {item.target, str(item.detail["to"])}
        for item in _applied_items(session, group)
        if item.action == "move" and item.kind != "memory"
    ]
    found: dict[str, str] = {}
    spreading = set(blocked)
    while spreading:
        file = spreading.pop()
        for pair in pairs:
            for other in pair - {file} if file in pair else set():
                if other not in blocked and other not in found:
                    found[other] = f"{file}, which it exchanges text with, was changed meanwhile"
                    spreading.add(other)
    return found


def _conflict(session: Session, group: str, file: str, reason: str) -> None:
    """The items that should have changed the file did not; a ledger row says so for each."""
    for item in _applied_items(session, group):
        touched = {item.target, str(item.detail.get("to", ""))}
        if item.kind != "memory" and file in touched and item.state == states.APPLIED:
            item.state, item.reason = states.CONFLICTED, reason
            if item.ledger:
                unwritten_row(session, item.ledger, reason)
            session.add(item)


def _applied_items(session: Session, group: str) -> list[ItemRow]:
    number = _number(group)
    return [item for item in items_of(session, number) if item.ledger] if number else []


def _owing(database: Database) -> list[str]:
    with database.read() as session:
        return list(dict.fromkeys([*files.groups(session), *commits.groups(session)]))


def _number(group: str) -> int:
    """The proposal behind a change's name; 0 for an undo."""
    kind, _, number = group.partition("-")
    return int(number) if kind == "proposal" else 0


def _outcome(database: Database, id: int, notices: Iterable[str]) -> Outcome:
    with database.read() as session:
        row = row_of(session, id)
        items = [item for item in items_of(session, id) if item.number]
        written = [
            one.file for one in files.of_group(session, group_of(id))
            if one.done and not one.conflict
        ]  # fmt: skip

    def numbers(state: str) -> tuple[int, ...]:
        return tuple(item.number for item in items if item.state == state)

    return Outcome(
        applied=numbers(states.APPLIED),
        conflicted=numbers(states.CONFLICTED),
        skipped=numbers(states.SKIPPED),
        rejected=numbers(states.REJECTED),
        commit=row.commit,
        files=tuple(sorted(written)),
        notices=(*(row.notices if row.state == states.FAILED else ()), *notices),
        proposal=id,
    )
