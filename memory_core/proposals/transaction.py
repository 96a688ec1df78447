"""The one transaction of a decision: items, memories, ledger, and what is owed to the vault."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sqlmodel import Session

from memory_core.banks.banks import open_banks
from memory_core.banks.writer import By
from memory_core.errors import Conflict, Permanent
from memory_core.proposals import commits, consolidated, files, memories, standing
from memory_core.proposals import proposal as states
from memory_core.proposals.decision import chosen_of
from memory_core.proposals.desk import AlreadyThere, Desk, lay_all
from memory_core.proposals.outcome import group_of
from memory_core.proposals.proposal import items_of
from memory_core.proposals.records import note_row
from memory_core.proposals.render import place_of
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.store.tables import ItemRow, ProposalRow, now


class Transaction:
    """The changes of one decision inside the caller's transaction.

    An item that does not fit any more is conflicted; the others are applied all the same.
    """

    def __init__(
        self, session: Session, database: Database, root: Path, settings: Settings, row: ProposalRow
    ) -> None:
        assert row.id is not None and row.decision is not None
        self._session, self._row = session, row
        self._desk = Desk(root, settings)
        self._writer = open_banks(settings, database).writer(session)
        self._decision: dict[str, Any] = row.decision
        self._all = items_of(session, row.id)
        self._items = [item for item in self._all if item.number]

    def run(self, staging: files.Staging) -> None:
        """Write everything; new texts of files are staged.

        Raises `VaultError` where the vault's disk refuses: the caller rolls back.
        """
        over = consolidated.over(self._desk.settings, self._row, self._all)
        chosen = chosen_of(self._decision, self._items)
        self._leave(item for item in self._items if item.number not in chosen)
        wanted = [item for item in self._items if item.number in chosen and _is_whole(item)]
        self._memories([item for item in wanted if item.kind == "memory"])
        self._notes([item for item in wanted if item.kind != "memory"])
        consolidated.end(self._session, self._desk.settings, self._row, latch=over)
        self._owe(staging)
        self._row.applied_at = now()
        self._session.add(self._row)
        self._session.flush()

    def _leave(self, items: Iterable[ItemRow]) -> None:
        for item in items:
            if item.number in self._decision["never"]:
                item.state = states.REJECTED
            elif item.state == states.OPEN:
                item.state = states.SKIPPED
            self._session.add(item)

    def _memories(self, items: list[ItemRow]) -> None:
        for item in items:
            try:
                with self._session.begin_nested():
                    number = memories.carry_out(self._session, self._writer, item, self._by(item))
                self._mark(item, states.APPLIED, ledger=number)
            except AlreadyThere as there:
                self._mark(item, states.APPLIED, there.message)
            except Permanent as refused:
                self._mark(item, states.CONFLICTED, refused.message)

    def _notes(self, items: list[ItemRow]) -> None:
        if items:
            self._desk.require_vault()
        standing_ones = []
        for item in items:
            if reason := standing.moved(self._desk, item):
                self._mark(item, states.CONFLICTED, reason)
            else:
                standing_ones.append(item)
        for item, outcome in lay_all(self._desk, standing_ones):
            if isinstance(outcome, AlreadyThere):
                self._mark(item, states.APPLIED, outcome.message)
            elif isinstance(outcome, Conflict):
                self._mark(item, states.CONFLICTED, outcome.message)
            else:
                number = note_row(self._session, item.action, outcome, self._by(item))
                self._mark(item, states.APPLIED, ledger=number)

    def _owe(self, staging: files.Staging) -> None:
        group, desk = group_of(self._row.id or 0), self._desk
        edits = {file: (desk.original(file), text) for file, text in desk.texts.items()}
        for file, (before, after) in edits.items():
            if before.sha256 != after.sha256:
                owed = files.Owed(group, desk.root, file, before, after)
                staging.add(owed)
                files.post(self._session, owed)
        standing.follow(self._session, desk, edits, own=self._row.id or 0)
        commits.post(self._session, group, desk.root, self._subject(), self._lines())

    def _subject(self) -> str:
        told = self._row.summary or f"{self._row.routine} of {self._row.subject}"
        return f"Apply proposal {self._row.id}: {told}"

    def _lines(self) -> list[str]:
        noted = (item for item in self._items if item.kind != "memory" and item.ledger)
        return [f"{item.number}. {item.action} {place_of(item)}: {item.title}" for item in noted]

    def _by(self, item: ItemRow) -> By:
        surface = self._decision["surface"]
        edited = ", edited" if "proposed" in item.detail else ""
        told = f"proposal {self._row.id} ({self._row.routine}) via {surface}{edited}: {item.title}"
        actor = self._row.routine if surface == "automatic" else "user"
        return By(actor, told, proposal=str(self._row.id))

    def _mark(self, item: ItemRow, state: str, reason: str = "", ledger: int | None = None) -> None:
        item.state, item.reason, item.ledger = state, reason, ledger
        self._session.add(item)


def _is_whole(item: ItemRow) -> bool:
    """Whether an item still has its text; one whose session was forgotten has none."""
    return item.state != states.SUPERSEDED
