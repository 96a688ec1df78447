"""The end of a consolidation run: the bank's generation rises, FULL where no plan helps.

Other routines pass through here unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlmodel import Session

from memory_core.banks import latch
from memory_core.banks.bank import BankId, parse_bank_id
from memory_core.banks.caps import Caps
from memory_core.banks.rules import configured_rules
from memory_core.proposals import memories
from memory_core.proposals import proposal as states
from memory_core.settings import Settings
from memory_core.store.tables import ItemRow, ProposalRow

ROUTINE = "consolidation"


def over(session: Session, settings: Settings, row: ProposalRow, items: Iterable[ItemRow]) -> bool:
    """Whether the whole plan, even if applied, leaves the bank above its soft limit."""
    if row.routine != ROUTINE:
        return False
    left = latch.count(session, row.subject)
    for item in items:
        if item.kind != "memory" or item.state == states.STALE:
            continue
        if memories.parsed(item.target)[0] == _bank(row):
            left -= _freed(item)
    return left > configured_rules(settings).caps.soft


def end(session: Session, settings: Settings | None, row: ProposalRow, *, latch: bool) -> None:
    """Close the run; `latch` sets FULL while the bank is over its soft limit."""
    if row.routine == ROUTINE:
        _close(session, row, configured_rules(settings).caps if settings else Caps(), latch)


def _close(session: Session, row: ProposalRow, caps: Caps, full: bool) -> None:
    bank = latch.locked_bank(session, _bank(row))
    latch.end_run(session, bank, caps, latch=full)


def _bank(row: ProposalRow) -> BankId:
    return parse_bank_id(row.subject)


def _freed(item: ItemRow) -> int:
    """How many memories an item takes out of its bank."""
    if item.action == "merge":
        return len(memories.merges(item.detail, item.target)) - (not item.base)
    return {"drop": 1, "move": 1, "add": -1}.get(item.action, 0)
