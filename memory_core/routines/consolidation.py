"""Consolidation without a language model: what a bank holds twice, and what it says is replaced.

Plans only what needs no judgement: equal texts, texts contained in another, and memories
of which another one says in words that it replaces them (`[[key]]` beside a cue). Both must
apply in the same places. If that does not bring the bank under its soft limit, the plan
says so, and the bank latches.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from memory_core.banks.caps import Caps
from memory_core.banks.memory import Memory
from memory_core.banks.slug import slug
from memory_core.errors import BadInput
from memory_core.routines.consolidation_check import check
from memory_core.routines.consolidation_plan import MOST, Change, Plan, items, read
from memory_core.routines.superseding import supersessions
from memory_core.text import fold, one_line
from memory_core.vault.note import shortened

__all__ = ["Change", "Plan", "check", "items", "plan", "read"]

_QUOTE = 120  # characters of a reason's quote


def plan(memories: Sequence[Memory], caps: Caps | None = None, *, most: int = MOST) -> Plan:
    """What can be merged and dropped for certain, at most `most` changes, never below the target.

    The memories are all those of one bank; raises `BadInput` for more than one.
    """
    caps = caps or Caps()
    if len({memory.bank for memory in memories}) > 1:
        raise BadInput("a plan is for one bank", remedy="plan each bank on its own")
    found: list[Change] = []
    room = len(memories) - caps.target
    for change in (*_merges(memories), *_superseded(memories)):
        fresh = not any(set(change.keys) & set(other.keys) for other in found)
        fits = len(change.removed) <= room and len(found) < most
        if fresh and fits and not check(Plan(len(memories), (change,)), memories, caps):
            found.append(change)
            room -= len(change.removed)
    kept = _standing(found)
    made = Plan(len(memories), tuple(kept))
    if not made.latches(caps):
        return made
    return Plan(len(memories), tuple(kept), (
        f"no plan gets under the soft limit: {made.left} of {len(memories)} memories are distinct,"
        f" the limit is {caps.soft}; a language model may find more, or drop some by hand"
    ))  # fmt: skip


def _merges(memories: Sequence[Memory]) -> Iterator[Change]:
    """Equal texts, then texts that another one contains."""
    groups: dict[tuple[object, ...], list[Memory]] = defaultdict(list)
    for memory in memories:
        groups[memory.refs, memory.tags].append(memory)
    linked = {key for memory in memories for key in memory.links}
    for group in groups.values():
        equal: dict[str, list[Memory]] = defaultdict(list)
        for memory in group:
            equal[_plain(memory.content)].append(memory)
        for twins in equal.values():
            if len(twins) > 1:
                yield _merge(twins, linked, "the same text")
        singles = [twins[0] for twins in equal.values() if len(twins) == 1]
        yield from _contained(singles)


def _merge(twins: Sequence[Memory], linked: set[str], why: str) -> Change:
    """One memory of several: the newest text under the key that others link, else the newest."""
    ranked = sorted(twins, key=lambda one: (one.updated_at, one.key), reverse=True)
    kept = next((one for one in ranked if one.key in linked), ranked[0])
    keys = (kept.key, *(one.key for one in ranked if one is not kept))
    reason = f"{why} as {', '.join(f'[[{key}]]' for key in keys[1:])}"
    return Change("merge", keys, reason, ranked[0].content, ranked[0].description)


def _contained(memories: Sequence[Memory]) -> Iterator[Change]:
    """Memories whose every sentence stands in another one, as a sentence."""
    told = {memory.key: _sentences(memory.content) for memory in memories}
    for memory in sorted(memories, key=lambda one: len(told[one.key])):
        for other in memories:
            if other is not memory and told[memory.key] and told[memory.key] < told[other.key]:
                why = f"all that [[{memory.key}]] says stands in it"
                keys = (other.key, memory.key)
                yield Change("merge", keys, why, other.content, other.description)
                break


def _superseded(memories: Sequence[Memory]) -> Iterator[Change]:
    """Memories that a newer one of the bank says it replaces; nothing rests on one that is gone."""
    by_key = {memory.key: memory for memory in memories}
    for memory in sorted(memories, key=lambda one: one.updated_at, reverse=True):
        for name, sentence in supersessions(memory.content):
            older = by_key.get(_key(name))
            if older is None or older is memory or older.updated_at >= memory.updated_at:
                continue
            if (older.refs, older.tags) == (memory.refs, memory.tags):
                reason = f"[[{memory.key}]] replaces it: “{shortened(sentence, _QUOTE)}”"
                yield Change("drop", (older.key,), reason)


def _standing(changes: Sequence[Change]) -> list[Change]:
    """Without the removals that rest on a memory which itself goes."""
    going = {key for change in changes for key in change.removed}
    return [change for change in changes
            if not any(f"[[{key}]] replaces it" in change.reason for key in going)]  # fmt: skip


def _sentences(text: str) -> frozenset[str]:
    parts = map(_plain, re.split(r"(?<=[.!?;])\s+|(?<=。)|\n", text))
    return frozenset(part for part in parts if part)


def _plain(text: str) -> str:
    """Words alone: case, accents, punctuation and white space do not count; signs in numbers do."""
    words = re.findall(r"[\w./:@%+-]*\w|[^\w\s]*[%°€$]", fold(one_line(text)))
    return " ".join(word.strip(".:-/+@") for word in words)


def _key(text: str) -> str:
    try:
        return slug(text)
    except BadInput:
        return ""
