"""What earlier runs over the same vault left: measured again, and offered first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memory_core.proposals import leftovers
from memory_core.proposals.item import Item
from memory_core.proposals.proposal import OPEN, SKIPPED, STALE, Proposal, items_of, row_of
from memory_core.proposals.sameness import same
from memory_core.routines.optimize.finding import Audit, Finding
from memory_core.store.database import Database

_OPEN = (OPEN, STALE, SKIPPED)
_AUDITS: Mapping[str, Audit] = {"always-loaded": "always-loaded", "question": "test"}


def findings(database: Database, proposal: Proposal, found: Sequence[Finding]) -> list[Finding]:
    """A finding for each item that was left, unless `found` has it again."""
    items = [one.item for one in found if one.item]
    with database.read() as session:
        row = row_of(session, proposal.id)
        left = [
            item for item in leftovers.left(session, proposal.routine, proposal.user)
            if row_of(session, item.proposal).subject == proposal.subject
        ]  # fmt: skip
        for older in leftovers.undecided(session, row):
            left += [item for item in items_of(session, older.id or 0) if item.state in _OPEN]
        made = [leftovers.item_of(item) for item in left]
    fresh: list[Item] = []
    for item in made:
        if not any(same(item, known) for known in (*items, *fresh)):
            fresh.append(item)
    return [
        Finding(_AUDITS.get(item.kind, "notes"), "left", item.target, item.title, item=item)
        for item in fresh
    ]
