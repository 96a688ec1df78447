"""Our entries among a client's hooks: `hooks.<Event>[].hooks[]`, known by their command.

Never by their position: other tools have entries in the same lists. One that is right
stays where it is, because a client may trust a hook by its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from memory_core.errors import SettingsError
from memory_core.installers import json_edit
from memory_core.installers.json_text import JsonText

_OURS = re.compile(r"(?:^|[\s/'\"])wellkept-hook['\"]*\s+(?:front|back|session-(?:start|end))\b")
Reader = Callable[[str], JsonText]


def is_ours(handler: Any) -> bool:
    """Whether a handler starts one of our hooks."""
    command = handler.get("command") if isinstance(handler, dict) else None
    return isinstance(command, str) and bool(_OURS.search(command))


def commands(document: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Event and handler of each of our hooks in a file of hooks."""
    hooks = document.get("hooks") if isinstance(document, dict) else None
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            handlers = group.get("hooks") if isinstance(group, dict) else None
            for handler in handlers if isinstance(handlers, list) else ():
                if is_ours(handler):
                    yield event, handler


def with_own(held: Any, wanted: dict[str, Any]) -> dict[str, Any] | None:
    """What is there with our fields in it: what a person added stays. None when they are."""
    merged = {**held, **wanted} if isinstance(held, dict) else wanted
    return None if merged == held else merged


def put(text: str, wanted: Mapping[str, dict[str, Any]], read: Reader) -> str:
    """The text with one handler at each event; raises `SettingsError`."""
    for event, handler in wanted.items():
        text = _put_one(text, event, handler, read)
    return _without(text, read, {}, lambda event, seen: event not in wanted or seen)


def take(text: str, read: Reader, known: Any) -> str:
    """The text without ours; containers that `known` has stay, also empty."""
    return _without(text, read, known, lambda *_: True)


def _put_one(text: str, event: str, handler: dict[str, Any], read: Reader) -> str:
    held = read(text)
    hooks = held.member(held.root, "hooks")
    group = {"hooks": [handler]}
    if hooks is None:
        return json_edit.put(held, held.root, {event: [group]}, "hooks")
    _must_be(held, hooks.value, dict, "hooks")
    groups = held.member(hooks.value, event)
    if groups is None:
        return json_edit.put(held, hooks.value, [group], event)
    _must_be(held, groups.value, list, f"hooks.{event}")
    for _, handlers, index in _places(held, groups.value):
        entry = held.entries(handlers)[index]
        wanted = with_own(held.value_at(entry.value), handler)
        return text if wanted is None else json_edit.replace(held, entry, wanted)
    return json_edit.put(held, groups.value, group)


def _without(text: str, read: Reader, known: Any, goes: Callable[[str, bool], bool]) -> str:
    """The text without those of our handlers that have to go: (event, another was kept)."""
    while True:
        held = read(text)
        place = _first(held, goes)
        if place is None:
            return text
        text = _taken(held, *place, known)


def _first(
    held: JsonText, goes: Callable[[str, bool], bool]
) -> tuple[str, int, int, int, int] | None:
    """Event, and where hooks, its groups, the handlers and our handler among them are."""
    hooks = held.member(held.root, "hooks")
    if hooks is None or not isinstance(held.value_at(hooks.value), dict):
        return None
    for groups in held.entries(hooks.value):
        seen = False
        if not isinstance(held.value_at(groups.value), list):
            continue
        for group, handlers, index in _places(held, groups.value):
            if goes(groups.name, seen):
                return groups.name, hooks.value, group, handlers, index
            seen = True
    return None


def _taken(
    held: JsonText, event: str, hooks: int, group: int, handlers: int, index: int, known: Any
) -> str:
    """The text without one handler and without what only held it."""
    before = known.get("hooks") if isinstance(known, dict) else None
    groups = held.member(hooks, event)
    assert groups is not None
    if len(held.entries(handlers)) > 1:
        return json_edit.take(held, handlers, index)
    listed = held.entries(groups.value)
    if len(listed) > 1:
        return json_edit.take(held, groups.value, group)
    if isinstance(before, dict) and event in before:
        return json_edit.take(held, groups.value, group)
    names = [entry.name for entry in held.entries(hooks)]
    if len(names) > 1 or isinstance(before, dict):
        return json_edit.take(held, hooks, names.index(event))
    outer = [entry.name for entry in held.entries(held.root)]
    return json_edit.take(held, held.root, outer.index("hooks"))


def _places(held: JsonText, groups: int) -> Iterator[tuple[int, int, int]]:
    """Of each of our handlers: index of its group, position of its list, index in it."""
    for number, group in enumerate(held.entries(groups)):
        if not isinstance(held.value_at(group.value), dict):
            continue
        handlers = held.member(group.value, "hooks")
        if handlers is None or not isinstance(held.value_at(handlers.value), list):
            continue
        for index, handler in enumerate(held.entries(handlers.value)):
            if is_ours(held.value_at(handler.value)):
                yield number, handlers.value, index


def _must_be(held: JsonText, at: int, kind: type, name: str) -> None:
    if not isinstance(held.value_at(at), kind):
        raise SettingsError(f'"{name}" is no {"object" if kind is dict else "list"}')
