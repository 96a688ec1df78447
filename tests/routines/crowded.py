"""Banks that hold too much, and replies of a model about them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from memory_core.banks.bank import BankId
from memory_core.banks.banks import open_banks
from memory_core.banks.memory import Draft, Memory
from memory_core.banks.writer import By
from memory_core.settings import Settings
from memory_core.store.database import Database
from tests.routines.told import block

_TEAMS = (
    "amber birch cedar delta ember fjord grove heron inlet jetty kiosk linen maple north ocean"
    " pearl quartz raven slate tulip umber velvet willow xenon yarrow zephyr apricot basil clover"
    " dahlia elder fennel ginger hazel ivory jasmine kelp laurel mango nettle olive poppy quince"
    " rowan saffron thyme ursa viola wasabi yucca"
)
TEAMS = _TEAMS.split()
BANK = BankId("ada", "shop")


def fill(
    database: Database, settings: Settings, count: int, bank: BankId = BANK, *, first: int = 0
) -> None:
    """Memories that all say something else."""
    with open_banks(settings, database).writing() as writer:
        for at, team in enumerate(TEAMS[first : first + count], first):
            writer.remember(bank, said(team, at), By("agent", "test"))


def said(team: str, at: int) -> Draft:
    """What a team's memory says."""
    return Draft(
        f"{team}-room", f"Where the {team} team meets", f"The {team} team meets in room {at + 11}."
    )


def held(database: Database, settings: Settings, bank: BankId = BANK) -> dict[str, str]:
    """Key and content of what the bank holds."""
    return {memory.key: memory.content for memory in open_banks(settings, database).held([bank])}


def shown(request: dict[str, Any]) -> list[dict[str, Any]]:
    """The memories that a model was shown."""
    return [json.loads(line) for line in block(request, "memories").splitlines()]


def drops(keys: Sequence[str]) -> list[dict[str, str]]:
    """Drops whose reasons speak of the memories."""
    return [{"key": key, "reason": f"The {key.split('-')[0]} team is no more."} for key in keys]


def merge(keep: str, *forget: str, content: str, description: str, reason: str) -> dict[str, Any]:
    """A merge as the model writes it."""
    return {
        "keep": keep, "forget": list(forget), "content": content, "description": description,
        "reason": reason,
    }  # fmt: skip


def pair(one: Memory, other: Memory) -> dict[str, Any]:
    """A merge of two memories that loses nothing."""
    return merge(
        one.key, other.key, content=f"{one.content} {other.content}", description=one.description,
        reason=f"[[{one.key}]] and [[{other.key}]] are both rooms of a team",
    )  # fmt: skip


def plan(merges: Sequence[Any] = (), dropped: Sequence[Any] = ()) -> dict[str, Any]:
    """A whole reply."""
    return {"merges": list(merges), "drops": list(dropped)}
