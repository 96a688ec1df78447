"""Consolidation with a language model: it plans, and the same rules as for every plan decide.

The memories are data within their frame. One that would not reach the model as it stands,
because it holds what looks like a secret or like a chat's own marks, is not shown and
stays. A bank that does not fit into one request is read in parts, each place together.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import groupby

from memory_core import prompts
from memory_core.banks.caps import Caps
from memory_core.banks.memory import Memory
from memory_core.llm import Complete, frame
from memory_core.routines.consolidation_past import Past
from memory_core.routines.consolidation_plan import MOST, Change, Plan
from memory_core.routines.consolidation_reply import fitting
from memory_core.routines.pieces import weight

ROOM = 24_000  # input tokens, of a model of which nothing else is said
_RULES = 2_400  # tokens of the prompt's own text and the schema
_LEAST = 1_000  # tokens of memories below which a request is not worth it
_NONE = "(none)"


def plan(
    memories: Sequence[Memory],
    caps: Caps,
    complete: Complete,
    *,
    past: Past | None = None,
    room: int = ROOM,
) -> Plan:
    """What the model would merge and drop; it has passed the check.

    `room` is the input tokens that one request may hold (`llm.room`). Raises what `complete`
    raises, above all `ReplyRefused` for a model that keeps to no rule.
    """
    shown, prompt = [one for one in memories if _reaches(one)], prompts.load("consolidation")
    changes: tuple[Change, ...] = ()
    told = past or Past()
    for part in _parts(shown, max(_LEAST, room - _RULES - weight(_past(told)))):
        free = Plan(len(memories), changes).left - caps.target
        if free <= 0 or len(changes) >= MOST:
            break
        values: dict[str, str | int] = {
            "held": len(memories), "soft": caps.soft, "target": caps.target, "most": free,
            "changes": MOST - len(changes), "memories": "\n".join(line for _, line in part),
            "earlier": _told(told.left), "refused": _told(told.refused),
        }  # fmt: skip
        schema = fitting([memory for memory, _ in part], memories, caps, changes)
        changes += complete(prompt=prompt, values=values, schema=schema).changes()
    return Plan(len(memories), changes, _hidden(len(memories) - len(shown)))


def _reaches(memory: Memory) -> bool:
    """Whether its text leaves as it is: nothing in it is redacted or made harmless."""
    return all(frame.sent(text) == text for text in (memory.content, memory.description))


def _hidden(count: int) -> str:
    if not count:
        return ""
    return f"{count} not shown to the model: they hold what must not leave as it is"


def _parts(memories: Sequence[Memory], room: int) -> list[list[tuple[Memory, str]]]:
    """The memories with their lines, in parts of at most `room` tokens."""
    parts: list[list[tuple[Memory, str]]] = []
    size = 0
    ordered = sorted(memories, key=lambda one: (str(_place(one)), one.key))
    for number, (_, group) in enumerate(groupby(ordered, _place), 1):
        lines = [(memory, _line(memory, number)) for memory in group]
        own = sum(weight(line) + 1 for _, line in lines)
        if not parts or size + own > room:
            parts, size = [*parts, []], 0
        for memory, line in lines:
            cost = weight(line) + 1
            if parts[-1] and size + cost > room:
                parts, size = [*parts, []], 0
            parts[-1].append((memory, line))
            size += cost
    return parts


def _place(memory: Memory) -> object:
    return memory.refs, memory.tags


def _line(memory: Memory, place: int) -> str:
    return _json({
        "place": place, "key": memory.key, "description": memory.description,
        "content": memory.content, "written": memory.updated_at.date().isoformat(),
    })  # fmt: skip


def _past(told: Past) -> str:
    return _told(told.left) + _told(told.refused)


def _told(changes: Iterable[Change]) -> str:
    lines = (
        _json({"action": one.action, "keys": one.keys, "reason": one.reason}) for one in changes
    )
    return "\n".join(lines) or _NONE


def _json(document: object) -> str:
    return json.dumps(document, ensure_ascii=False)
