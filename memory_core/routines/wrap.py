"""Wrap without a language model: what a session showed, routed, in the words it was said.

Extractive throughout: an item's text is made of sentences of its evidence, so that every
path, number and name in it stands there. A session in which nothing was learned gives no
item; a person decides about every other.
"""

from __future__ import annotations

from collections.abc import Sequence

from memory_core.banks.bank import bank_id
from memory_core.banks.slug import slug
from memory_core.errors import BadInput
from memory_core.proposals.item import Item, Kind
from memory_core.record.exchange import Exchange
from memory_core.record.redact import redacted
from memory_core.routines import known, wording
from memory_core.routines.draft import Draft
from memory_core.routines.evidence import Finding, Session
from memory_core.routines.grounding import ungrounded
from memory_core.routines.place import Ask, Place
from memory_core.routines.routing import Route, Router
from memory_core.routines.statements import content

MOST = 6  # items a session
READ = 12  # findings that are looked at, the best first
KEY_WORDS = 5  # words of a new note's key
WITHOUT_MODEL = "drafted without a language model: explicit statements and confirmed findings"

__all__ = ["Draft", "draft"]


def draft(exchanges: Sequence[Exchange], place: Place, ask: Ask) -> Draft:
    """What the exchanges of a session leave to keep.

    Raises `ServerUnavailable` when the warm server does not answer; recall that cannot
    run becomes a notice, and what it would have routed goes to new notes.
    """
    session = Session(exchanges)
    router = Router(session.rows, session.poison, place, ask)
    items: list[Item] = []
    room = place.room
    for finding in sorted(session.findings(), key=lambda each: -each.value)[:READ]:
        text = _text(finding)
        route = router.route(finding, text)
        if len(items) == MOST or _is_known(text, route, place):
            continue
        if known.repeated(text, [item.after for item in items]):
            continue
        item = _item(finding, text, route, place, room)
        if _is_sound(item):
            room -= len(item.after) + 1 if item.kind == "always-loaded" else 0
            items.append(item)
    notices = [WITHOUT_MODEL]
    if router.reason:
        notices.append(f"routed by words alone: {router.reason}")
    return Draft(tuple(items), tuple(notices))


def _text(finding: Finding) -> str:
    return wording.point([one.text for one in finding.said], finding.command, finding.lead)


def _is_known(text: str, route: Route, place: Place) -> bool:
    if known.covers(text, place.always_loaded_text):
        return True
    return any(
        known.knows(text, note, route.near[note.file].cosine)
        for note in place.notes if note.file in route.near
    )  # fmt: skip


def _is_sound(item: Item) -> bool:
    """Nothing that its quotes do not hold, and no secret."""
    quotes = [piece.quote for piece in item.evidence]
    return not ungrounded(item.after, quotes) and redacted(item.after) == item.after


def _item(finding: Finding, text: str, route: Route, place: Place, room: int) -> Item:
    kind, target, detail = _target(finding, text, route, place, room)
    return Item(
        "add", kind, target, wording.title(text),
        after=text if kind != "memory" else text.removeprefix("- "),
        evidence=finding.evidence, value=finding.value, detail=detail,
    )  # fmt: skip


def _target(
    finding: Finding, text: str, route: Route, place: Place, room: int
) -> tuple[Kind, str, dict[str, object]]:
    described = wording.title(text)
    if finding.every_session and place.has_vault and len(text) + 1 <= room:
        return "always-loaded", place.always_loaded, {}
    key = _key(text)
    if not place.has_vault:
        kind = "global" if finding.rule else "private"
        bank = bank_id(kind, place.user, place.scope)
        return "memory", f"{bank}:{key}", {"description": described}
    if note := place.note(route.file):
        near = known.nearest_point(text, note)
        return "note", note.file, {"near": near} if near else {}
    scope = [f"project:{place.scope}"] if place.scope else []
    file = _free(key, place)
    detail = {"key": file.removesuffix(".md"), "description": described, "scope": scope, "tags": []}
    return "note", file, detail


def _key(text: str) -> str:
    """A slug of the first words that carry the meaning."""
    about = content(text)
    words = [word for word in text.replace("`", " ").split() if content(word) & about]
    try:
        return slug(" ".join(words[:KEY_WORDS])[:60])
    except BadInput:
        return "note"


def _free(key: str, place: Place) -> str:
    taken = {note.file.casefold() for note in place.notes}
    number, file = 1, f"{key}.md"
    while file.casefold() in taken:
        number += 1
        file = f"{key}-{number}.md"
    return file
