"""A consolidation plan: which memories of one bank become one, and which go, each with a reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from memory_core.banks.caps import Caps
from memory_core.banks.memory import Memory
from memory_core.errors import BadInput
from memory_core.proposals.item import Item

MOST = 30  # items of a plan
Action = Literal["merge", "drop"]


@dataclass(frozen=True, slots=True)
class Change:
    """`merge` rewrites the first key with `content` and `description` and forgets the others.

    `drop` forgets its one key.
    """

    action: Action
    keys: tuple[str, ...]
    reason: str
    content: str = ""
    description: str = ""

    @property
    def removed(self) -> tuple[str, ...]:
        """The keys that go."""
        return self.keys if self.action == "drop" else self.keys[1:]


@dataclass(frozen=True, slots=True)
class Plan:
    """`held` memories are there now; `notice` says what the plan cannot do, if anything."""

    held: int
    changes: tuple[Change, ...] = ()
    notice: str = ""

    @property
    def left(self) -> int:
        """How many memories stay when all of it is applied."""
        return self.held - len({key for change in self.changes for key in change.removed})

    def latches(self, caps: Caps) -> bool:
        """Whether the bank is FULL: even the whole plan leaves it over its soft limit."""
        return self.left > caps.soft


def read(document: Any, memories: Sequence[Memory]) -> Plan:
    """The plan in `{"changes": [{"action", "keys", "reason", "content"?, "description"?}]}`.

    Raises `BadInput` that names what is malformed.
    """
    rows = document.get("changes") if isinstance(document, Mapping) else None
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        raise BadInput("the plan has no list of changes", remedy='write {"changes": [...]}')
    return Plan(len(memories), tuple(_change(number, row) for number, row in enumerate(rows, 1)))


def _change(number: int, row: Any) -> Change:
    if not isinstance(row, Mapping):
        raise BadInput(f"change {number} is no object")
    keys, action = row.get("keys"), row.get("action")
    if action not in get_args(Action):
        raise BadInput(f"change {number} has the action {action!r}", remedy="use merge or drop")
    if not isinstance(keys, Sequence) or isinstance(keys, str):
        raise BadInput(f"change {number} has no list of keys")
    texts = [row.get(name) or "" for name in ("reason", "content", "description")]
    if not all(isinstance(text, str) for text in (*keys, *texts)):
        raise BadInput(f"change {number} holds something that is no text")
    reason, content, description = map(str, texts)
    return Change(
        "merge" if action == "merge" else "drop", tuple(keys), reason, content, description
    )


def items(plan: Plan, memories: Sequence[Memory]) -> tuple[Item, ...]:
    """The plan's changes as items; a merge shows every text that goes into it."""
    by_key = {memory.key: memory for memory in memories}
    return tuple(_item(change, [by_key[key] for key in change.keys]) for change in plan.changes)


def _item(change: Change, held: Sequence[Memory]) -> Item:
    target = held[0]
    if change.action == "drop":
        told = {"description": target.description, "reason": change.reason}
        return Item(
            "drop", "memory", target.id, change.reason, target.content, value=1.0, detail=told
        )
    detail = {
        "merges": [memory.id for memory in held[1:]],
        "texts": {memory.id: memory.content for memory in held},
        "description": change.description,
        "refs": [[ref.type, ref.id] for ref in target.refs],
        "tags": [[tag.kind, tag.id] for tag in target.tags],
        "reason": change.reason,
    }
    return Item("merge", "memory", target.id, change.reason, target.content, change.content,
                value=2.0, detail=detail)  # fmt: skip
