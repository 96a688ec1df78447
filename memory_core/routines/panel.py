"""The panel: models of other makers object to a draft, by number, a paragraph each.

They have no vote: an objection stands beside its item, and a person decides. Each member
reads the draft alone; one that fails is reported as missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict, Field

from memory_core import llm, prompts
from memory_core.errors import WellkeptError
from memory_core.llm import Complete, Panelist
from memory_core.proposals import render
from memory_core.proposals.item import Item
from memory_core.routines.draft import Draft
from memory_core.routines.pieces import cut, weight
from memory_core.settings import Settings

MOST = 30  # items that a panel reads
TEXT = 1500  # characters of a text before or after
QUOTES = 5  # pieces of evidence of one item
QUOTE = 300  # characters
RULES = 1500  # tokens of the prompt's own text and the schema

CompleteOf = Callable[[Settings], Complete]
"""A `Complete` for the language model of some settings."""


class Objection(BaseModel):
    """What is doubtful about one change."""

    model_config = ConfigDict(extra="forbid")

    change: int = Field(description="the number of the change")
    paragraph: str = Field(min_length=10, max_length=1500)


class Objections(BaseModel):
    """A member's reply."""

    model_config = ConfigDict(extra="forbid")

    objections: list[Objection] = Field(max_length=MOST)


@dataclass(frozen=True, slots=True)
class _Heard:
    """A member and what it said, by the item's place in the draft; or why it is missing."""

    name: str
    said: dict[int, str]
    missing: str = ""


def challenged(draft: Draft, members: Sequence[Panelist], complete_of: CompleteOf) -> Draft:
    """The draft with the objections in its items' details, and a notice a member.

    `detail["panel"]` names the members that read the item, `detail["objections"]` holds
    `{model, says}` each. Raises nothing of what a member raises.
    """
    if not (members and draft.items):
        return draft
    heard = [_heard(draft.items[:MOST], member, complete_of) for member in members]
    items = [_with(item, at, heard) for at, item in enumerate(draft.items[:MOST])]
    lines = [_line(one, len(items)) for one in heard]
    return Draft((*items, *draft.items[MOST:]), (*draft.notices, *lines))


def _heard(items: Sequence[Item], member: Panelist, complete_of: CompleteOf) -> _Heard:
    said: dict[int, str] = {}
    try:
        complete = complete_of(member.settings)
        for batch in _batches(items, llm.room(member.settings) - RULES):
            values = {"changes": "\n\n".join(_told(number, items[number - 1]) for number in batch)}
            prompt = prompts.load("panel")
            reply = complete(prompt=prompt, values=values, schema=Objections)
            for one in reply.objections:
                if one.change in batch:
                    said.setdefault(one.change - 1, one.paragraph)
    except WellkeptError as error:
        return _Heard(member.name, {}, error.message)
    return _Heard(member.name, said)


def _batches(items: Sequence[Item], room: int) -> list[list[int]]:
    """The numbers of items, from 1, in runs that fit `room` tokens."""
    made: list[list[int]] = []
    size = 0
    for number, item in enumerate(items, 1):
        own = weight(_told(number, item))
        if not made or size + own > room:
            made, size = [*made, []], 0
        made[-1].append(number)
        size += own
    return made


def _told(number: int, item: Item) -> str:
    """One change with its evidence, as a member reads it."""
    lines = [f"({number}) {item.action} {item.target}: {item.title}"]
    if item.before:
        lines.append(f"before: {cut(item.before, TEXT)}")
    lines.append(f"after: {cut(item.after, TEXT) or '(nothing)'}")
    lines += [f"- {render.said(piece)}, {piece.at[:10]}: {piece.quote[:QUOTE]}"
              for piece in item.evidence[-QUOTES:]]  # fmt: skip
    return "\n".join(lines)


def _with(item: Item, at: int, heard: Sequence[_Heard]) -> Item:
    present = [one for one in heard if not one.missing]
    if not present:
        return item
    said = [{"model": one.name, "says": one.said[at]} for one in present if at in one.said]
    detail = {**item.detail, "panel": [one.name for one in present]}
    return replace(item, detail=detail | ({"objections": said} if said else {}))


def _line(heard: _Heard, items: int) -> str:
    if heard.missing:
        return f"panel: {heard.name} is missing: {heard.missing}"
    return f"panel: {heard.name} objects to {len(heard.said)} of {items} changes"
