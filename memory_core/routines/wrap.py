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
WITHOUT_MODEL = "no language model is configured: on evidence alone"

__all__ = ["Draft", "draft"]


def draft(exchanges: Sequence[Exchange], place: Place, ask: Ask) -> Draft:
    """What the exchanges of a session leave to keep, the most valuable first.

    Raises `ServerUnavailable` when the warm server does not answer. Where recall cannot
    run, words alone route, and a notice says so.
    """
    session = Session(exchanges)
    router = Router(session.rows, session.poison, place, ask)
    items: list[Item] = []
    notices = [WITHOUT_MODEL]
    room = place.room
    for finding in sorted(session.findings(), key=lambda each: -each.value)[:READ]:
        text = wording.point([one.text for one in finding.said], finding.command, finding.lead)
        route = router.route(finding, text)
        if _is_known(text, route, place) or known.repeated(text, [i.after for i in items]):
            continue
        item = _item(finding, text, route, place, room)
        if not _is_sound(item):
            continue
        if item.kind == "always-loaded":
            room -= len(text) + 1
        elif finding.every_session and place.has_vault:
            notices.append(f"{place.always_loaded} has no room for: {item.title}")
        items.append(item)
        if len(items) == MOST:
            break
    if router.reason:
        notices.append(f"routed by words alone: {router.reason}")
    return Draft(tuple(items), tuple(notices))


def _is_known(text: str, route: Route, place: Place) -> bool:
    """Whether a note near it, or the always-loaded file, says it already."""
    if known.covers(text, place.always_loaded_text):
        return True
    near = [
        note for note in place.notes
        if not route.near or note.file in route.near or note.file == route.file
    ]  # fmt: skip
    return any(
        known.knows(text, note, route.near[note.file].cosine if note.file in route.near else 0.0)
        for note in near
    )


def _is_sound(item: Item) -> bool:
    """Nothing that its quotes do not hold, and no secret in it or in them."""
    quotes = [piece.quote for piece in item.evidence]
    if ungrounded(item.after, quotes):
        return False
    return all(redacted(text) == text for text in (item.after, *quotes))


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
    if not place.has_vault:
        kind = "global" if finding.every_session else "private"
        bank = bank_id(kind, place.user, place.scope)
        return "memory", f"{bank}:{_key(text)}", {"description": described, "refs": [], "tags": []}
    if finding.every_session and len(text) + 1 <= room:
        return "always-loaded", place.always_loaded, {}
    if note := place.note(route.file):
        near = known.nearest_point(text, note)
        return "note", note.file, {"near": near} if near else {}
    file = _free(_key(text), place)
    return "note", file, {
        "key": file.removesuffix(".md"), "description": described,
        "scope": [f"project:{place.scope}"] if place.scope else [], "tags": [],
    }  # fmt: skip


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
