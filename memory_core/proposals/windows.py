"""What a run notes beside its frozen window: scores, findings, what came of it."""

from __future__ import annotations

from typing import Any

from memory_core.proposals.proposal import Proposal, loaded, row_of
from memory_core.store.database import Database


def keep(database: Database, id: int, **told: Any) -> Proposal:
    """Note values under names of their own; a name that is there is written anew.

    Raises `NotFound`.
    """
    with database.write() as session:
        row = row_of(session, id, lock=True)
        row.window = {**row.window, **told}
        session.add(row)
        session.flush()
        return loaded(session, row)
