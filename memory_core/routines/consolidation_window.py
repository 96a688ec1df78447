"""What one consolidation reads: the memories of a bank at one moment, frozen by their versions.

A version is the number of the ledger entry that wrote the text, so a run that is tried again
reads the same texts, whatever was written since.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlmodel import Session, col, select

from memory_core.banks import latch
from memory_core.banks.bank import BankId, parse_bank_id
from memory_core.banks.caps import Caps
from memory_core.banks.memory import Memory
from memory_core.banks.row import restored
from memory_core.errors import NotFound
from memory_core.proposals import opening
from memory_core.proposals import proposal as states
from memory_core.store import ledger, outbox
from memory_core.store.database import Database
from memory_core.store.tables import BankRow, MemoryRow, OutboxRow, ProposalRow

ROUTINE = outbox.CONSOLIDATION
_OVER = (states.FAILED, states.REJECTED)  # ends after which the bank is looked at again


@dataclass(frozen=True, slots=True)
class Window:
    """A bank's generation, and the version of each key that it held."""

    bank: BankId
    generation: int
    versions: Mapping[str, int]

    @property
    def run(self) -> str:
        """The name of the run that reads it: bank and generation."""
        return latch.run_of(str(self.bank), self.generation)

    def as_json(self) -> dict[str, Any]:
        """As it is stored with the proposal."""
        return {
            "bank": str(self.bank),
            "generation": self.generation,
            "versions": dict(self.versions),
        }


def of_bank(database: Database, bank: str, generation: int = -1) -> Window | None:
    """The bank as it is now, for the run of a generation; -1 = the present one.

    None for a run whose generation is over and that left no plan, because it failed, was
    rejected or never began. Raises `BadInput` for what is no bank's id and `NotFound` for a
    bank nobody wrote to.
    """
    name = parse_bank_id(bank)
    with database.read() as session:
        row = session.get(BankRow, bank)
        if row is None:
            raise NotFound(f"{bank} holds no memory", remedy="see wellkept memories")
        wanted = row.generation if generation < 0 else generation
        if wanted != row.generation and not _proposed(session, latch.run_of(bank, wanted)):
            return None
        query = select(MemoryRow.key, MemoryRow.version).where(MemoryRow.bank == bank)
        return Window(name, wanted, dict(session.exec(query.order_by(MemoryRow.key)).all()))


def read(database: Database, window: Mapping[str, Any]) -> list[Memory]:
    """The memories of a stored window, by key, as they were."""
    bank = parse_bank_id(window["bank"])
    found = []
    with database.read() as session:
        for key, version in sorted(window["versions"].items()):
            written = restored(ledger.entry(session, version).after)
            if written is None:
                raise NotFound(f"entry {version} of the ledger holds no {key}")
            found.append(replace(written, bank=bank, version=version))
    return found


def owe_again(database: Database, caps: Caps) -> list[str]:
    """Owe a run to banks over their soft limit whose last one ended without a plan.

    That is one which failed, was rejected, or died before it opened a proposal. FULL banks
    and those with a proposal that waits are left alone. Returns the runs' names.
    """
    found = []
    with database.write() as session:
        for row in session.exec(select(BankRow).where(col(BankRow.latched).is_(False))).all():
            held = latch.count(session, row.id)
            if held > caps.soft and _unanswered(session, row):
                run = latch.run_of(row.id, row.generation)
                outbox.renew(session, kind=ROUTINE, key=run, payload=latch.payload(row, held))
                found.append(run)
    return found


def _unanswered(session: Session, row: BankRow) -> bool:
    query = select(ProposalRow.state).where(
        ProposalRow.routine == ROUTINE, ProposalRow.subject == row.id
    )
    last = session.exec(query.order_by(col(ProposalRow.id).desc())).first()
    if last in (states.DRAFTING, states.OPEN, states.DECIDED):
        return False
    if last is None or last in _OVER:
        return True
    return session.get(OutboxRow, latch.run_of(row.id, row.generation)) is not None


def _proposed(session: Session, run: str) -> bool:
    state = session.exec(select(ProposalRow.state).where(ProposalRow.run == run)).first()
    return state is not None and state not in opening.UNREAD
