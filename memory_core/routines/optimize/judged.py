"""A finding with what was measured of it: what is offered, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memory_core.errors import BadInput, Conflict, VaultError
from memory_core.proposals.desk import Desk
from memory_core.proposals.item import Item
from memory_core.routines.optimize.effects import Base, Effect, measure
from memory_core.routines.optimize.finding import Finding

MOST = 60  # changes of a run that are measured; the others wait for the next
POINT = 0.1  # value of a percentage point, on the scale of a finding's weight
Tell = Callable[[float, str], None]


@dataclass(frozen=True, slots=True)
class Judged:
    """`effect` is None for a finding without a change, and where `why` says why it has none."""

    finding: Finding
    effect: Effect | None = None
    why: str = ""

    @property
    def item(self) -> Item | None:
        """What may be offered: measured, and no worse for it; its value and effect are set."""
        item, effect = self.finding.item, self.effect
        if item is None or effect is None or effect.lowers:
            return None
        detail = {**item.detail, "effect": effect.said}
        return replace(item, detail=detail, value=value(self.finding, effect))

    def as_json(self) -> dict[str, Any]:
        """As the proposal keeps it and a report shows it.

        `target` and `fingerprint` tell its item among the proposal's; `number` is set when
        that has one.
        """
        item = self.finding.item
        return {
            **self.finding.as_json(),
            "number": None,
            "change": item.title if item else "",
            "target": item.target if item else "",
            "fingerprint": item.fingerprint if item else "",
            "effect": self.effect.as_json() if self.effect else None,
            "why": self.why or _why(self.effect),
        }


def value(finding: Finding, effect: Effect) -> float:
    """What ranks a change: its weight, what it gains, and the share of a page that it frees."""
    return round(finding.weight + POINT * effect.gain - effect.carried / 3000, 6)


def judged(
    findings: Sequence[Finding], base: Base, desk: Desk, tell: Tell = lambda _share, _what: None
) -> tuple[Judged, ...]:
    """Every finding in its order, each change measured alone, those of most weight first.

    Raises what the server's client raises.
    """
    changes = [at for at, finding in enumerate(findings) if finding.item]
    changes.sort(key=lambda at: -findings[at].weight)
    made: dict[int, Judged] = {}
    for done, at in enumerate(changes):
        tell(done / len(changes), f"measuring change {done + 1} of {len(changes)}")
        made[at] = _judged(findings[at], base, desk, left_out=done >= MOST)
    return tuple(made.get(at, Judged(finding)) for at, finding in enumerate(findings))


def _judged(finding: Finding, base: Base, desk: Desk, *, left_out: bool) -> Judged:
    assert finding.item
    if left_out:
        return Judged(finding, why=f"not measured: a run measures {MOST} changes")
    try:
        return Judged(finding, measure(base, desk, finding.item))
    except (Conflict, BadInput, VaultError) as error:
        return Judged(finding, why=f"cannot be applied: {error.message}")


def _why(effect: Effect | None) -> str:
    return "not offered: it lowers the score" if effect and effect.lowers else ""
