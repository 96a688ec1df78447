"""A person's decision about a proposal: the first one wins, the same again is harmless."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from sqlmodel import Session

from memory_core.errors import BadInput, Conflict
from memory_core.proposals import consolidated
from memory_core.proposals import proposal as states
from memory_core.proposals.edited import edited
from memory_core.proposals.proposal import Proposal, items_of, loaded, row_of
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.store.tables import ItemRow, ProposalRow, now, utc
from memory_core.text import clean

Choice = Literal["apply all", "apply chosen", "apply none", "reject run"]
Surface = Literal["terminal", "UI", "automatic"]
CHOICES: tuple[str, ...] = get_args(Choice)
_PART = re.compile(r"(\d+)(?:\s*[-–]\s*(\d+))?")
_COMMENT = 2000  # characters


@dataclass(frozen=True, slots=True)
class Decision:
    """`chosen` numbers are applied, `never` ones are not offered again.

    `edits` are new texts of chosen items by number.
    """

    choice: Choice
    chosen: tuple[int, ...] = ()
    never: tuple[int, ...] = ()
    comment: str = ""
    surface: Surface = "terminal"
    edits: Mapping[int, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """As it is stored; numbers in order."""
        return {
            "choice": self.choice,
            "chosen": sorted(set(self.chosen)),
            "never": sorted(set(self.never)),
            "comment": clean(self.comment).strip()[:_COMMENT],
            "surface": self.surface,
            "edits": {str(number): text for number, text in sorted(self.edits.items())},
        }


def parse_numbers(text: str, numbers: Collection[int]) -> tuple[int, ...]:
    """The numbers that `1,3-5` names, in order, of those that there are.

    Raises `BadInput` that names the part it cannot use.
    """
    found: set[int] = set()
    for part in filter(None, re.split(r"[,;\s]+", re.sub(r"\s*([-–])\s*", r"\1", text.strip()))):
        match = _PART.fullmatch(part)
        if not match:
            raise BadInput(f"{part!r} is no number", remedy="write numbers such as 1,3-5")
        first, last = int(match[1][:9]), int((match[2] or match[1])[:9])
        if first > last:
            raise BadInput(f"{part!r} runs backwards", remedy=f"write {last}-{first}")
        if not {first, last} <= set(numbers):
            raise BadInput(f"there is no item {part}", remedy=_offered(numbers))
        found.update(number for number in numbers if first <= number <= last)
    return tuple(sorted(found))


def decide(
    database: Database,
    id: int,
    decision: Decision,
    *,
    root: Path | None = None,
    settings: Settings | None = None,
) -> Proposal:
    """Store the decision about a proposal that waits; nothing of memory changes yet.

    With `root` and `settings` the caps of what is chosen together are checked first; the
    end of a consolidation takes the bank's limits from `settings`.
    Raises `BadInput` for a choice, number or edit that does not hold, `Conflict` when
    another decision came first or the proposal does not wait, and `NotFound`.
    """
    _check_choice(decision)
    with database.write() as session:
        row = row_of(session, id, lock=True)
        items = [item for item in items_of(session, id) if item.number]
        kept = decision.as_json()
        if row.decision is not None and _same(row.decision, kept):
            return loaded(session, row)
        _check_waiting(row)
        _check_numbers(decision, {item.number: item for item in items})
        _edit(decision, items, settings)
        if root is not None and settings is not None:
            from memory_core.proposals.standing import check_together

            check_together(root, settings, [i for i in items if i.number in chosen_of(kept, items)])
        _store(session, row, items, kept, settings)
        return loaded(session, row)


def chosen_of(kept: Mapping[str, Any], items: Iterable[ItemRow]) -> set[int]:
    """The numbers that a stored decision applies."""
    if "applies" in kept:
        return set(kept["applies"])
    if kept["choice"] == "apply all":
        open_ones = {item.number for item in items if item.state == states.OPEN}
        return open_ones - set(kept["never"])
    return set(kept["chosen"]) if kept["choice"] == "apply chosen" else set()


def told(row: ProposalRow) -> str:
    """A stored decision in words: what, when, by which surface."""
    kept = row.decision or {}
    numbers = ",".join(map(str, kept.get("chosen", ())))
    when = f" at {utc(row.decided_at):%Y-%m-%d %H:%M} UTC" if row.decided_at else ""
    return f"{kept.get('choice')} {numbers}".strip() + f"{when} via {kept.get('surface')}"


def _store(
    session: Session,
    row: ProposalRow,
    items: list[ItemRow],
    kept: dict[str, Any],
    settings: Settings | None,
) -> None:
    if kept["choice"] == "apply all":  # frozen: what is open now, not what is open later
        kept = {**kept, "applies": sorted(chosen_of(kept, items))}
    row.decision, row.decided_at = kept, now()
    row.state = states.DECIDED
    if kept["choice"] == "reject run":
        row.state = states.REJECTED
        for item in items_of(session, row.id or 0):
            _withdraw(item)
            session.add(item)
        consolidated.end(session, settings, row, latch=False)
    session.add(row)
    session.flush()


def _withdraw(item: ItemRow) -> None:
    """The window is read again and finds its items again; carried ones would be lost."""
    if item.state in (states.OPEN, states.STALE, states.SKIPPED):
        item.state = states.SKIPPED if item.carried else states.SUPERSEDED
        item.reason = "the run was rejected"


def _check_choice(decision: Decision) -> None:
    if decision.choice not in CHOICES:
        raise BadInput(
            f"{decision.choice!r} is no decision" if decision.choice else "the decision is empty",
            remedy=f"choose one of {', '.join(CHOICES)}",
        )
    if decision.choice == "apply chosen" and not decision.chosen:
        raise BadInput("no number is chosen", remedy="name numbers, or decide apply none")
    if decision.choice != "apply chosen" and decision.chosen:
        raise BadInput(
            f"{decision.choice} takes no numbers", remedy="decide apply chosen, or leave them out"
        )
    if both := sorted(set(decision.chosen) & set(decision.never)):
        raise BadInput(f"{both} are both chosen and never wanted", remedy="name each once")
    if decision.choice == "reject run" and (decision.never or decision.edits):
        raise BadInput(
            "reject run offers everything again", remedy="decide apply none to remember numbers"
        )
    if decision.surface not in get_args(Surface):
        raise BadInput(f"there is no surface {decision.surface!r}")


def _check_waiting(row: ProposalRow) -> None:
    if row.decision is not None:
        raise Conflict(
            f"proposal {row.id} was decided already: {told(row)}",
            remedy="wellkept history shows what it did, wellkept undo N reverses it",
        )
    if row.state != states.OPEN:
        raise Conflict(f"proposal {row.id} is {row.state} and waits for no decision")


def _check_numbers(decision: Decision, items: Mapping[int, ItemRow]) -> None:
    for number in (*decision.chosen, *decision.never, *decision.edits):
        if number not in items:
            raise BadInput(f"there is no item {number}", remedy=_offered(items))


def _edit(decision: Decision, items: list[ItemRow], settings: Settings | None) -> None:
    chosen = chosen_of(decision.as_json(), items)
    for item in items:
        if item.number not in decision.edits:
            continue
        if item.number not in chosen:
            raise BadInput(f"item {item.number} is edited and not chosen", remedy="choose it too")
        text = edited(item, decision.edits[item.number], settings)
        if text != item.after:
            item.detail = {**item.detail, "proposed": item.after}
            item.after = text


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(one.get(name) == other[name] for name in ("choice", "chosen", "never", "edits"))


def _offered(numbers: Iterable[int]) -> str:
    return f"the items are {', '.join(map(str, sorted(numbers))) or 'none'}"
