"""What a consolidation plan must keep to, whoever wrote it; enforced on every plan.

A merge joins memories of one scope and one meaning, invents nothing and loses nothing that
tells two of them apart. A removal has a reason that speaks of the memory, or of another one
that is there and stays. The bank keeps its target. One problem refuses the whole plan.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from memory_core.banks.caps import Caps, as_json
from memory_core.banks.memory import Memory
from memory_core.banks.slug import slug
from memory_core.errors import BadInput
from memory_core.routines.consolidation_plan import MOST, Change, Plan
from memory_core.routines.dream.stances import stance
from memory_core.routines.grounding import ungrounded
from memory_core.routines.statements import content

KEPT = 0.5  # share of a memory's words that a merged text keeps
TWINS = 0.5  # share of equal words from which the others are what tells two apart
_LINK = re.compile(r"\[\[([^\[\]\n]{1,200})\]\]")
_NEGATION = re.compile(
    r"(?<![\w-])(?:not|never|no|none|without|cannot|n't|ikke|aldri|ingen|uten|nicht|nie|niemals|kein\w*|ohne)(?![\w-])|n't\b|ない|ません|不|没",
    re.IGNORECASE,
)


def check(plan: Plan, memories: Sequence[Memory], caps: Caps | None = None) -> list[str]:
    """What is wrong with a plan for a bank, in words; empty when it may be offered."""
    caps = caps or Caps()
    by_key = {memory.key: memory for memory in memories}
    problems = [*_shape(plan, by_key, memories, caps)]
    if problems:
        return problems  # what follows needs keys that are there
    going = {key for change in plan.changes for key in change.removed}
    for number, change in enumerate(plan.changes, 1):
        held = [by_key[key] for key in change.keys]
        found = _merge(change, held, caps) if change.action == "merge" else ()
        problems += [
            f"change {number} {problem}"
            for problem in (*found, *_reason(change, held, by_key, going))
        ]
    return problems


def _shape(
    plan: Plan, by_key: dict[str, Memory], memories: Sequence[Memory], caps: Caps
) -> Iterator[str]:
    if len({memory.bank for memory in memories}) > 1:
        yield "the memories are of more than one bank"
    if plan.held != len(memories):
        yield f"the plan is for {plan.held} memories, the bank holds {len(memories)}"
    if len(plan.changes) > MOST:
        yield f"the plan has {len(plan.changes)} changes, at most {MOST} fit"
    for key, count in Counter(key for change in plan.changes for key in change.keys).items():
        if key not in by_key:
            yield f"there is no memory {key!r} in the bank"
        if count > 1:
            yield f"{key!r} is named {count} times"
    for number, change in enumerate(plan.changes, 1):
        if change.action == "merge" and len(change.keys) < 2:
            yield f"change {number} merges fewer than two memories"
        if change.action == "drop" and len(change.keys) != 1:
            yield f"change {number} drops {len(change.keys)} memories, not one with its reason"
    least = min(caps.target, len(memories))
    if plan.left < least:
        yield f"the plan leaves {plan.left} memories; it must keep {least}"


def _merge(change: Change, held: Sequence[Memory], caps: Caps) -> Iterator[str]:
    if len({(memory.refs, memory.tags) for memory in held}) > 1:
        yield "merges memories that apply in different places (references or tags differ)"
    if not change.content.strip() or not change.description.strip():
        yield "has no content or no description"
        return
    if len(change.content) > caps.content:
        yield f"has a content of {len(change.content)} characters, the cap is {caps.content}"
    if len(as_json(change.description)) - 2 > caps.description:
        yield f"has a description over the cap of {caps.description} characters"
    yield from _invented(change, held)
    yield from _lost(change, held)


def _invented(change: Change, held: Sequence[Memory]) -> Iterator[str]:
    """Words, numbers and paths that no merged memory has."""
    quotes = [
        text
        for memory in held
        for text in (memory.content, memory.description, memory.key.replace("-", " "))
    ]
    for name, text in (("content", change.content), ("description", change.description)):
        new = content(text) - content("\n".join(quotes))
        named = [one for one in ungrounded(text, quotes) if one not in new]
        if new or named:
            told = [*_words(text, new), *named]
            yield f"invents in its {name}: {', '.join(dict.fromkeys(told[:8]))}"


def _lost(change: Change, held: Sequence[Memory]) -> Iterator[str]:
    """What told the memories apart and is no longer told."""
    told = content(change.content)
    stances = [found for memory in held if (found := stance(memory.content)) is not None]
    if any(one.opposes(other) for one in stances for other in stances):
        yield "merges opposites"
    for memory in held:
        own = content(memory.content)
        gone = ungrounded(memory.content, [change.content])
        others = [content(other.content) for other in held if other is not memory]
        twins = [
            words for words in others if len(own & words) >= TWINS * max(len(own), len(words), 1)
        ]
        apart = set().union(*(own - words for words in twins)) - told
        if gone or apart:
            lost = [*gone, *(one for one in _words(memory.content, apart) if one not in gone)]
            yield f"loses of {memory.key}: {', '.join(lost[:8])}"
        elif len(own & told) < KEPT * len(own):
            yield f"keeps fewer than half of the words of {memory.key}"
        if _NEGATION.search(memory.content) and not _NEGATION.search(change.content):
            yield f"loses the negation of {memory.key}"


def _reason(
    change: Change, held: Sequence[Memory], by_key: dict[str, Memory], going: set[str]
) -> Iterator[str]:
    reason = change.reason.strip()
    if not reason:
        yield "has no reason"
        return
    named = [_slug(key) for key in _LINK.findall(reason)]
    for key in named:
        if key not in by_key:
            yield f"rests on [[{key}]], which is not there"
        elif key in going and key not in change.keys:
            yield f"rests on [[{key}]], which the plan removes"
        elif (by_key[key].refs, by_key[key].tags) != (held[0].refs, held[0].tags):
            yield f"rests on [[{key}]], which applies in other places"
    about = content(
        " ".join(f"{one.key.replace('-', ' ')} {one.description} {one.content}" for one in held)
    )
    if not named and not content(reason) & about:
        yield "has a reason that says nothing of the memory"


def _words(text: str, stems: set[str]) -> list[str]:
    """The words of a text that have one of the stems, as written."""
    found = [word.strip(".,;:!?()\"'`") for word in text.split() if content(word) & stems]
    return list(dict.fromkeys(found)) or sorted(stems)


def _slug(text: str) -> str:
    try:
        return slug(text)
    except BadInput:
        return text
