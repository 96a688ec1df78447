"""The choke point of what enters a proposal: checked, cleaned, free of secrets.

A malformed item is an error of the routine; one whose text holds a secret is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, get_args

from memory_core.banks.bank import parse_bank_id
from memory_core.banks.rules import Rules
from memory_core.errors import BadInput
from memory_core.proposals import field, memories, question_lines
from memory_core.proposals.edited import written
from memory_core.proposals.item import Action, Evidence, Item, Kind, Source
from memory_core.proposals.snapshot import check_name, plain
from memory_core.redaction import kinds, redacted
from memory_core.settings import Settings
from memory_core.text import clean, one_line, without_surrogates
from memory_core.vault.note import shortened
from memory_core.vault.question import WORKING_SET

TITLE = 200  # characters
QUOTE = 600  # characters of one piece of evidence
OBJECTION = 1500  # characters of a panelist's paragraph
PIECES = 12  # pieces of evidence an item keeps


def screened(
    items: Iterable[Item], rules: Rules, settings: Settings
) -> tuple[list[Item], tuple[str, ...]]:
    """The items as they may be stored, and what was left out in words.

    Raises `BadInput` that names the item and what is wrong with it.
    """
    kept, secret = [], 0
    for item in items:
        if held_secret(item):
            secret += 1
            continue
        try:
            kept.append(_cleaned(item, rules, settings))
        except BadInput as error:
            raise BadInput(
                f"item {shortened(one_line(clean(item.title)), 60)!r}: {error.message}",
                remedy=error.remedy,
            ) from None
    said = f"{secret} item(s) left out: the text held what looks like a secret"
    return kept, (said,) if secret else ()


def held_secret(item: Item) -> bool:
    """Whether what the item would write holds a secret."""
    told = [item.after, str(item.detail.get("description", ""))]
    return any(kinds(clean(text)) for text in told)


def line(text: Any, cap: int) -> str:
    """One line without secrets, cut at a word's end."""
    return shortened(one_line(redacted(clean(str(text)))), cap)


def _cleaned(item: Item, rules: Rules, settings: Settings) -> Item:
    item = _named(item)
    _check_shape(item, settings)
    cleaned = replace(
        item,
        title=line(item.title, TITLE),
        kind=_kind(item, settings),
        before=without_surrogates(item.before),
        after=_after(item, settings),
        evidence=tuple(_evidence(piece) for piece in item.evidence[:PIECES]),
        detail=_detail(item),
    )
    if item.kind == "memory" and item.action in ("add", "revise", "merge"):
        key = memories.parsed(item.target)[1]
        if item.detail.get("description") or item.action == "add":
            rules.checked(memories.draft(key, cleaned, None))
    return cleaned


def _after(item: Item, settings: Settings) -> str:
    if item.action in ("drop", "move"):
        return ""
    return written("what it writes", item, item.after, settings)


def _detail(item: Item) -> dict[str, Any]:
    """The detail with its lines of text cleaned; names of targets stay as they are."""
    detail = dict(item.detail)
    for name in ("description", "effect", "heading", "key", "reason", "title"):
        if detail.get(name):
            detail[name] = line(detail[name], TITLE)
    if said := detail.get("objections"):
        detail["objections"] = [
            {"model": line(one["model"], TITLE), "says": line(one["says"], OBJECTION)}
            for one in said
        ]
    return detail


def _evidence(piece: Evidence) -> Evidence:
    if piece.source not in get_args(Source):
        raise BadInput(f"evidence has the source {piece.source!r}")
    quote = redacted(clean(piece.quote)).strip()
    return replace(
        piece, session=line(piece.session, TITLE), turn=int(piece.turn), ref=line(piece.ref, TITLE),
        at=line(piece.at, 40), quote=shortened(quote, QUOTE),
    )  # fmt: skip


def _named(item: Item) -> Item:
    """The item with its files under the one name that each has."""
    if item.kind == "memory":
        return item
    detail = dict(item.detail)
    if item.action == "move" and detail.get("to"):
        detail["to"] = plain(str(detail["to"]))
    return replace(item, target=plain(item.target), detail=detail)


def _kind(item: Item, settings: Settings) -> Kind:
    if item.kind == "note" and item.target == settings.always_loaded:
        return "always-loaded"
    return item.kind


def _check_shape(item: Item, settings: Settings) -> None:
    if item.action not in get_args(Action) or item.kind not in get_args(Kind):
        raise BadInput(f"there is no action {item.action!r} on {item.kind!r}")
    if not one_line(clean(item.title)):
        raise BadInput("it has no title", remedy="say in a line what it changes")
    if not math.isfinite(item.value):
        raise BadInput(f"its value is {item.value}")
    if item.kind == "memory":
        return _check_memory(item)
    if item.kind == "question":
        return _check_question(item)
    if item.action == "merge":
        raise BadInput("notes are not merged", remedy="revise one and drop the other")
    loaded = settings.always_loaded
    check_name(item.target, loaded)
    if item.kind == "always-loaded" and item.target != loaded:
        raise BadInput(f"{item.target} is not the always-loaded file", remedy=f"that is {loaded}")
    if (item.action != "add") != bool(item.before.strip()) and "field" in item.detail:
        raise BadInput("a field is added, or revised from what it is", remedy="set before")
    if item.action != "add" and not item.before.strip():
        raise BadInput(f"a {item.action} needs the piece that it changes", remedy="set before")
    _check_detail(item)
    if item.action == "move":
        if not item.detail.get("to") or item.detail["to"] == item.target:
            raise BadInput("a move needs another note", remedy="set detail['to']")
        check_name(str(item.detail["to"]), loaded)
    return None


def _check_detail(item: Item) -> None:
    """What `making` says of a note's item besides its texts."""
    name, link = item.detail.get("field"), item.detail.get("link")
    if name is not None and (name not in field.FIELDS or item.action not in ("add", "revise")):
        raise BadInput(f"no {item.action} of {name!r}", remedy=f"of {' and '.join(field.FIELDS)}")
    if link is not None and (item.action != "revise" or set(link) != {"from", "to"}):
        raise BadInput("a link is revised `from` one note `to` another")


def _check_question(item: Item) -> None:
    if item.target != WORKING_SET:
        raise BadInput(f"{item.target} is not the working set", remedy=f"that is {WORKING_SET}")
    if item.action not in ("add", "revise", "drop"):
        raise BadInput(f"a question takes no {item.action}", remedy="add, revise or drop it")
    if item.action == "revise":
        question_lines.checked(item.before)
    if item.action == "drop" and (not item.before.strip() or "\n" in item.before):
        raise BadInput("a question is dropped by its line", remedy="set before")


def _check_memory(item: Item) -> None:
    memories.parsed(item.target)
    if item.action == "move":
        parse_bank_id(str(item.detail.get("to", "")))
    if item.action == "merge":
        others = memories.merges(item.detail, item.target)
        if not others:
            raise BadInput("a merge needs what it merges", remedy="set detail['merges']")
        for name in others:
            memories.parsed(name)
