"""What the model replies to the consolidation prompt, held to the rules of every plan.

A reply whose plan breaks one of them does not fit its schema: it is refused whole, and the
model is told why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from memory_core.banks.caps import Caps
from memory_core.banks.memory import Memory
from memory_core.routines.consolidation_check import check
from memory_core.routines.consolidation_plan import MOST, Change, Plan

REASON = 200  # characters; a longer one would be cut where it is shown
TOLD = 6  # problems that are told at once


class Merge(BaseModel):
    """Several memories become one."""

    model_config = ConfigDict(extra="forbid")

    keep: str = Field(description="the key that stays")
    forget: list[str] = Field(min_length=1, description="the keys that go into it")
    description: str = Field(min_length=1)
    content: str = Field(min_length=1)
    reason: str = Field(min_length=1, max_length=REASON)


class Drop(BaseModel):
    """One memory goes."""

    model_config = ConfigDict(extra="forbid")

    key: str
    reason: str = Field(min_length=1, max_length=REASON)


class Reply(BaseModel):
    """A plan: what becomes one, and what goes."""

    model_config = ConfigDict(extra="forbid", title="Plan")

    merges: list[Merge] = Field(max_length=MOST)
    drops: list[Drop] = Field(max_length=MOST)

    def changes(self) -> tuple[Change, ...]:
        """The changes it plans, merges first."""
        merges = (
            Change("merge", (one.keep, *one.forget), one.reason, one.content, one.description)
            for one in self.merges
        )
        return (*merges, *(Change("drop", (one.key,), one.reason) for one in self.drops))


def fitting(
    shown: Sequence[Memory],
    memories: Sequence[Memory],
    caps: Caps,
    before: Sequence[Change] = (),
) -> type[Reply]:
    """The schema of a reply about the `shown` ones of a bank's `memories`.

    `before` are the changes planned already; both together have to pass the check.
    """
    keys = {memory.key for memory in shown}

    class Fitting(Reply):
        model_config = ConfigDict(extra="forbid", title="Plan")

        @model_validator(mode="after")
        def _holds(self) -> Self:
            own = self.changes()
            problems = list(_strange(own, keys)) or check(
                Plan(len(memories), (*own, *before)), memories, caps
            )
            if problems:
                more = len(problems) - TOLD
                also = [f"and {more} more problems"] if more > 0 else []
                raise ValueError("the plan is refused: " + "; ".join([*problems[:TOLD], *also]))
            return self

    return Fitting


def _strange(changes: Sequence[Change], keys: set[str]) -> Iterator[str]:
    """Keys that were not shown, each once."""
    named = dict.fromkeys(key for change in changes for key in change.keys)
    return (f"no memory shown has the key {key!r}" for key in named if key not in keys)
