"""A draft: what a routine would offer, before it is numbered and stored."""

from __future__ import annotations

from dataclasses import dataclass

from memory_core.proposals.item import Item


@dataclass(frozen=True, slots=True)
class Draft:
    """Items by falling value; `notices` are lines that a person reads above them."""

    items: tuple[Item, ...] = ()
    notices: tuple[str, ...] = ()
