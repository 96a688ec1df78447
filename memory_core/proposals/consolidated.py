"""The end of a consolidation run: the bank's generation rises, FULL where no plan helps.

What was written while the run waited is looked at again: a key that the plan never read, or
an item that did not fit any more, owes the next run. All of it stands in the transaction
that ends the run. Other routines pass through here unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlmodel import Session, select

from memory_core.banks import latch
from memory_core.banks.bank import parse_bank_id
from memory_core.banks.caps import Caps
from memory_core.banks.rules import configured_rules
from memory_core.proposals import memories
from memory_core.proposals import proposal as states
from memory_core.proposals.proposal import items_of
from memory_core.settings import Settings
from memory_core.store.tables import ItemRow, MemoryRow, ProposalRow

ROUTINE = "consolidation"


def over(settings: Settings, row: ProposalRow, items: Iterable[ItemRow]) -> bool:
    """Whether the whole plan, applied to what it read, leaves more than the soft limit.

    Its items count whatever became of them since: FULL says that no plan helps.
    """
    if row.routine != ROUTINE:
        return False
    left = len(row.window["versions"]) - sum(map(_freed, items))
    return left > configured_rules(settings).caps.soft


def end(session: Session, settings: Settings | None, row: ProposalRow, *, latch: bool) -> None:
    """Close the run; `latch` sets FULL while the bank is over its soft limit."""
    if row.routine == ROUTINE:
        _close(session, row, configured_rules(settings).caps if settings else Caps(), latch)


def _close(session: Session, row: ProposalRow, caps: Caps, full: bool) -> None:
    bank = latch.locked_bank(session, parse_bank_id(row.subject))
    latch.end_run(session, bank, caps, latch=full)
    if _unread(session, row) or _unfit(session, row):
        latch.note_crossing(session, bank, caps)


def _unread(session: Session, row: ProposalRow) -> bool:
    """Whether the bank holds a key that the run never read."""
    held = session.exec(select(MemoryRow.key).where(MemoryRow.bank == row.subject)).all()
    return not set(held) <= set(row.window["versions"])


def _unfit(session: Session, row: ProposalRow) -> bool:
    """Whether something that was wanted could not be done any more."""
    wanted = row.state == states.EMPTY or (row.decision or {}).get("choice", "").startswith("apply")
    chosen = (row.decision or {}).get("choice") != "apply none"
    lost = (states.STALE, states.CONFLICTED)
    return wanted and chosen and any(i.state in lost for i in items_of(session, row.id or 0))


def _freed(item: ItemRow) -> int:
    """How many memories an item takes out of its bank."""
    if item.action == "merge":
        return len(memories.merges(item.detail, item.target))
    return int(item.action == "drop")
