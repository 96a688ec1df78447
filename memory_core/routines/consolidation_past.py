"""What earlier plans for a bank had that was not carried out: left open, or refused for good."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memory_core.banks.memory import Memory
from memory_core.proposals import leftovers, memories
from memory_core.routines.consolidation_plan import Change
from memory_core.store.database import Database
from memory_core.store.outbox import CONSOLIDATION
from memory_core.store.tables import ItemRow


@dataclass(frozen=True, slots=True)
class Past:
    """`left` stands on texts that are still the same; `refused` is never offered again."""

    left: tuple[Change, ...] = ()
    refused: tuple[Change, ...] = ()

    def wants(self, change: Change) -> bool:
        """Whether nobody has refused such a change."""
        return all(_meant(change) != _meant(other) for other in self.refused)


def past(database: Database, user: str, held: Sequence[Memory]) -> Past:
    """The past of the bank that the memories are of, the best first."""
    ids = {memory.id: memory for memory in held}
    with database.read() as session:
        left = [row for row in leftovers.left(session, CONSOLIDATION, user) if _stands(row, ids)]
        refused = [row for row, _ in leftovers.rejected(session, user) if row.target in ids]
        return Past(tuple(_changes(left)), tuple(_changes(refused)))


def _stands(row: ItemRow, ids: dict[str, Memory]) -> bool:
    versions = {row.target: row.base, **row.detail.get("versions", {})}
    return all(name in ids and str(ids[name].version) == base for name, base in versions.items())


def _changes(rows: Iterable[ItemRow]) -> Iterable[Change]:
    for row in rows:
        if row.kind == "memory" and row.action in ("merge", "drop"):
            yield _change(row)


def _change(row: ItemRow) -> Change:
    key, reason = memories.parsed(row.target)[1], str(row.detail.get("reason", row.title))
    if row.action == "drop":
        return Change("drop", (key,), reason)
    others = (memories.parsed(name)[1] for name in memories.merges(row.detail, row.target))
    description = str(row.detail.get("description", ""))
    return Change("merge", (key, *others), reason, row.after, description)


def _meant(change: Change) -> tuple[str, frozenset[str]]:
    return change.action, frozenset(change.keys)
