"""A proposal: what one run of a routine wants to change, its items by number.

| state | meaning |
| --- | --- |
| drafting | the run is open and has offered nothing yet |
| open | waits for a person |
| decided | the decision is stored, not everything of it is written |
| applied | the decision is carried out |
| rejected | the run was rejected; its window is offered again |
| superseded | a newer run of the same routine and subject took over |
| empty | the run had nothing to offer |
| failed | the run ended without an offer, or its window was read by another |
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, select

from memory_core.errors import NotFound
from memory_core.proposals.item import Evidence
from memory_core.store.tables import ItemRow, ProposalRow, utc

DRAFTING, OPEN, DECIDED, APPLIED = "drafting", "open", "decided", "applied"
REJECTED, SUPERSEDED, EMPTY, FAILED = "rejected", "superseded", "empty", "failed"
SKIPPED, CONFLICTED, STALE = "skipped", "conflicted", "stale"  # of items


@dataclass(frozen=True, slots=True)
class Numbered:
    """An item as it is stored; number 0 did not fit in the run.

    `base` is what the target was when the item was offered: a file's SHA-256, a memory's
    version, "" for one that was not there. `reason` says why it is stale, conflicted, ...
    """

    id: int
    number: int
    action: str
    kind: str
    target: str
    base: str
    title: str
    before: str
    after: str
    detail: Mapping[str, Any]
    evidence: tuple[Evidence, ...]
    provenance: str
    value: float
    fingerprint: str
    state: str
    reason: str
    carried: int | None
    ledger: int | None

    @property
    def growth(self) -> int:
        """Characters that the change adds; negative where it removes."""
        if self.action == "move":
            return -len(self.before)
        gone = self.detail.get("texts", {}) if self.action == "merge" else {}
        merged = sum(len(text) for name, text in gone.items() if name != self.target)
        return len(self.after) - len(self.before) - merged


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposal with all its items: the numbered ones first, by number."""

    id: int
    routine: str
    subject: str
    run: str
    flow_run: str
    state: str
    user: str
    scope: str
    window: Mapping[str, Any]
    summary: str
    notices: tuple[str, ...]
    cost: Mapping[str, Any]
    created_at: datetime
    decided_at: datetime | None
    decision: Mapping[str, Any] | None
    applied_at: datetime | None
    commit: str
    items: tuple[Numbered, ...]

    @property
    def numbered(self) -> tuple[Numbered, ...]:
        """The items a person may choose from."""
        return tuple(item for item in self.items if item.number)

    @property
    def open(self) -> tuple[Numbered, ...]:
        """The items that could be applied now."""
        return tuple(item for item in self.numbered if item.state == OPEN)


def numbered(row: ItemRow) -> Numbered:
    """The value of an item's row."""
    values = {name: getattr(row, name) for name in Numbered.__slots__}
    values["evidence"] = tuple(Evidence(**piece) for piece in row.evidence)
    return Numbered(**values)


def of_row(row: ProposalRow, items: Iterable[ItemRow]) -> Proposal:
    """The value of a proposal's row and its items' rows."""
    values = {name: getattr(row, name) for name in Proposal.__slots__ if name != "items"}
    values["notices"] = tuple(row.notices)
    for name in ("created_at", "decided_at", "applied_at"):
        values[name] = utc(values[name]) if values[name] else None
    ordered = sorted(items, key=lambda item: (item.number == 0, item.number, item.id))
    return Proposal(**values, items=tuple(map(numbered, ordered)))


def row_of(session: Session, number: int, *, lock: bool = False) -> ProposalRow:
    """The row of a proposal, locked against other writers if wanted.

    Raises `NotFound`.
    """
    known = 0 < number < 2**63
    row = session.get(ProposalRow, number, with_for_update=lock) if known else None
    if row is None:
        raise NotFound(f"there is no proposal {number}", remedy="see wellkept review")
    return row


def items_of(session: Session, number: int) -> list[ItemRow]:
    """The rows of a proposal's items, by number; those without one come last."""
    query = select(ItemRow).where(ItemRow.proposal == number).order_by(col(ItemRow.id))
    return sorted(session.exec(query).all(), key=lambda row: (row.number == 0, row.number))


def loaded(session: Session, row: ProposalRow) -> Proposal:
    """The proposal of a row, with its items."""
    assert row.id is not None
    return of_row(row, items_of(session, row.id))
