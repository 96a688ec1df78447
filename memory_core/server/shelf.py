"""Memories in the passage index: brought up to date for the banks a request may see.

The database is the truth and other processes write to it, so each request compares the
versions of its three banks (150 memories at most) with what the index holds.
"""

from __future__ import annotations

from collections.abc import Iterable

from memory_core.banks.banks import Banks
from memory_core.banks.context import Context
from memory_core.banks.memory import Memory
from memory_core.recall.recall import Recall
from memory_core.recall.source import NOTES, Source, Visible
from memory_core.vault import points
from memory_core.vault.note import Note
from memory_core.vault.passages import split

AT_ONCE = 16  # passages of new memories that are embedded before the request goes on


class Shelf:
    """What the index holds of the banks; used by the index's one writer."""

    def __init__(self, banks: Banks) -> None:
        self._banks = banks
        self._versions: dict[str, dict[str, int]] = {}

    @property
    def memories(self) -> int:
        """How many memories are in the index."""
        return sum(map(len, self._versions.values()))

    def visible(self, recall: Recall, context: Context) -> Visible:
        """Bring the context's banks up to date, and say what a request there may see.

        The concrete scope is a wall and the narrowest memory of a key wins; tags do not
        gate. Raises as `Banks.findable`.
        """
        held = self._banks.held(context.banks)
        self._bring_up(recall, {str(bank) for bank in context.banks}, held)
        seen = {memory.id for memory in self._banks.findable(context, held)}
        groups = frozenset({NOTES, *map(str, context.banks)})
        return Visible(groups, frozenset(memory.id for memory in held) - seen)

    def _bring_up(self, recall: Recall, banks: set[str], held: Iterable[Memory]) -> None:
        now: dict[str, dict[str, int]] = {bank: {} for bank in banks}
        fresh: list[Source] = []
        for memory in held:
            bank = str(memory.bank)
            now[bank][memory.id] = memory.version
            if self._versions.get(bank, {}).get(memory.id) != memory.version:
                fresh.append(of_memory(memory))
        gone = [
            known
            for bank in banks
            for known in self._versions.get(bank, {})
            if known not in now[bank]
        ]
        if fresh or gone:
            recall.update(fresh, gone)
            self._versions.update(now)
            if fresh:
                recall.embed_some(AT_ONCE)


def of_memory(memory: Memory) -> Source:
    """A memory as a source, shown as `memory:<key>`."""
    name = f"memory:{memory.key}"
    content = points.read(memory.content).points
    note = Note(file=name, key=memory.key, description=memory.description, points=tuple(content))
    return Source(
        id=memory.id,
        name=name,
        passages=tuple(split(note)),
        points=note.points,
        group=str(memory.bank),
        description=memory.description,
        updated=memory.updated_at.isoformat(timespec="seconds"),
        scope=tuple(map(str, memory.refs)),
        tags=tuple(map(str, memory.tags)),
        keys=(memory.key, *map(str, memory.tags)),
    )
