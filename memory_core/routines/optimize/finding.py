"""A finding: one thing that an audit noticed, told in one line with its numbers.

A finding with an item can be approved by number; one that is `handed` is a matter of what
notes say, so dream takes it; any other is told for a person to act on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from memory_core.proposals.item import Item

Audit = Literal["always-loaded", "notes", "test"]
AUDITS: tuple[Audit, ...] = ("always-loaded", "notes", "test")


@dataclass(frozen=True, slots=True)
class Finding:
    """`code` is a slug of the kind of finding, `where` a file of the vault or a question's id.

    `said` is one line; `also` are further files that it is about. `weight` is the expected
    value before anything is measured, 0..1.
    """

    audit: Audit
    code: str
    where: str
    said: str
    numbers: Mapping[str, float | int | str] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    item: Item | None = None
    handed: bool = False
    weight: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """As a report holds it; the item stands in the proposal under its number."""
        return {
            "audit": self.audit,
            "code": self.code,
            "where": self.where,
            "said": self.said,
            "numbers": dict(self.numbers),
            "also": list(self.also),
            "handed": self.handed,
            "weight": self.weight,
        }
