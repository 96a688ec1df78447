"""Where a conversation stands, which banks it sees and which memories apply to it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from memory_core.banks.bank import KINDS, BankId, bank_id
from memory_core.banks.memory import EntityRef, Tag
from memory_core.banks.ontology import Ontology


class Located(Protocol):
    """What applicability and shadowing look at."""

    @property
    def bank(self) -> BankId: ...
    @property
    def key(self) -> str: ...
    @property
    def refs(self) -> tuple[EntityRef, ...]: ...
    @property
    def tags(self) -> tuple[Tag, ...]: ...


T = TypeVar("T", bound=Located)


@dataclass(frozen=True, slots=True)
class Context:
    """User, scope, the entity references and the ontology instances at hand."""

    user: str
    scope: str
    refs: tuple[EntityRef, ...] = ()
    tags: tuple[Tag, ...] = ()

    def bank(self, kind: str) -> BankId:
        """The visible bank of a kind.

        Raises `BadInput` for an unknown kind or an unusable name.
        """
        return bank_id(kind, self.user, self.scope)

    @property
    def banks(self) -> tuple[BankId, ...]:
        """The visible banks, narrowest first."""
        return tuple(self.bank(kind) for kind in KINDS)


def in_scope(context: Context, memory: Located) -> bool:
    """The concrete scope: every type must match, ids of one type are alternatives."""
    refs = memory.refs
    return not refs or _each_kind_met([(ref.type, ref) for ref in refs], context.refs)


def applicable(context: Context, memories: Iterable[T], ontology: Ontology) -> list[T]:
    """The memories whose concrete scope and semantics both match the context."""
    reach = ontology.reach(context.tags)
    return [
        memory
        for memory in memories
        if in_scope(context, memory)
        and (not memory.tags or _each_kind_met([(tag.kind, tag) for tag in memory.tags], reach))
    ]


def shadowed(context: Context, memories: Iterable[T]) -> list[T]:
    """Of each key the narrowest; call it with applicable memories only."""
    order = {bank: rank for rank, bank in enumerate(context.banks)}
    narrowest: dict[str, T] = {}
    for memory in sorted(memories, key=lambda memory: order[memory.bank]):
        narrowest.setdefault(memory.key, memory)
    return list(narrowest.values())


def _each_kind_met(wanted: list[tuple[str, object]], present: Collection[object]) -> bool:
    met = {kind for kind, item in wanted if item in present}
    return met == {kind for kind, _ in wanted}
