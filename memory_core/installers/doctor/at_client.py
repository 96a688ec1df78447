"""One client's links: its entries, that they stand once, its trust, and a round trip."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

from memory_core.errors import WellkeptError
from memory_core.hooks import clients as forms
from memory_core.installers import change, hook_entries, launcher, plugin
from memory_core.installers.client import Client, hook_command
from memory_core.installers.doctor import codex_trust, round_trip
from memory_core.installers.doctor.link import Link

_PYTHON = re.compile(r"^python=(.*)$", re.MULTILINE)
_PROJECT_FILES = {
    forms.CLAUDE_CODE: (".claude/settings.json", ".claude/settings.local.json"),
    forms.CODEX: (".codex/hooks.json",),
    forms.GEMINI: (".gemini/settings.json",),
}


def links(
    client: Client, sources: Path, folder: Path, hindrance: Link | None = None
) -> Iterator[Link]:
    """A client's links; one line where it does not have us.

    `hindrance` is the server's link where that keeps a round trip from being tried.
    """
    again = f"wellkept install {client.name}"
    try:
        by_hand, by_plugin = plugin.in_files(client, sources), plugin.is_active(client)
    except WellkeptError as error:
        yield Link(client.name, "settings", "broken", error.message, error.remedy)
        return
    if not by_hand and not by_plugin:
        there = "it is here" if client.where else "it is not here either"
        yield Link(client.name, "settings", "absent", f"without wellkept; {there}", again)
        return
    if by_hand:
        yield _entries(client, sources, again)
    if off := _switched_off(client, sources):
        yield off
    yield _once(client, folder, by_hand and by_plugin)
    yield (started := _launcher(client, again))
    if client.name == forms.CODEX:
        yield codex_trust.link(client, folder)
    if started.state == "broken":
        return
    if hindrance:
        said, state = f"not tried: {hindrance.said}", hindrance.state
        yield Link(client.name, "round trip", state, said, hindrance.remedy, hindrance.passes)
        return
    yield from round_trip.links(client, _commands(client, by_plugin))


def _entries(client: Client, sources: Path, again: str) -> Link:
    """Whether each file holds what this version would put there."""
    for part in client.parts(sources):
        content = change.read(part.file)
        if part.added(content) != content:
            said = f"{part.file} lacks entries of ours, or has older ones"
            return Link(client.name, "settings", "broken", said, again)
    files = ", ".join(str(part.file) for part in client.parts(sources))
    return Link(client.name, "settings", "ok", files)


def _switched_off(client: Client, sources: Path) -> Link | None:
    """A setting of the client's own that keeps our hooks from running."""
    file = client.parts(sources)[0].file
    held = plugin.json_of(file)
    if not isinstance(held, dict):
        return None
    said = ""
    if client.name == forms.CLAUDE_CODE and held.get("disableAllHooks"):
        said = "disableAllHooks"
    if client.name == forms.GEMINI and isinstance(chosen := held.get("hooksConfig"), dict):
        off = [name for name in chosen.get("disabled") or () if "wellkept" in str(name)]
        said = "hooksConfig.enabled" if chosen.get("enabled") is False else ""
        said = f"hooksConfig.disabled ({', '.join(off)})" if off else said
    if not said:
        return None
    remedy = f"take {said} out of {file}"
    return Link(client.name, "switched on", "broken", f"{said} switches our hooks off", remedy)


def _once(client: Client, folder: Path, twice: bool) -> Link:
    """Whether no other installation runs beside the first."""
    if twice:
        said = "the plugin is active and the settings have hooks too: everything is said twice"
        remedy = f"wellkept uninstall {client.name}, then install it once"
        return Link(client.name, "once", "broken", said, remedy)
    for name in _PROJECT_FILES.get(client.name, ()):
        file = folder / name
        if file.resolve().parent.parent != Path.home() and _has_ours(file):
            said = f"{file} starts our hooks too: everything is said twice here"
            return Link(client.name, "once", "broken", said, f"take them out of {file}")
    return Link(client.name, "once", "ok", "no second installation")


def _has_ours(file: Path) -> bool:
    try:
        return any(hook_entries.commands(json.loads(file.read_bytes())))
    except (OSError, ValueError):
        return False


def _launcher(client: Client, again: str) -> Link:
    for file in (launcher.hook(), launcher.command()):
        if not os.access(file, os.X_OK):
            said = f"{file} is not there, or cannot be run"
            return Link(client.name, "launcher", "broken", said, again)
    named = _PYTHON.search(launcher.hook().read_text("utf-8", "replace"))
    [python, *_] = shlex.split(named[1]) if named else [""]
    if not os.access(python, os.X_OK):
        said = f"it starts {python or 'nothing'}, which is gone"
        return Link(client.name, "launcher", "broken", said, again)
    if python != sys.executable:
        said = f"it starts another wellkept, at {python}"
        return Link(client.name, "launcher", "notice", said, f"{again} makes it this one")
    return Link(client.name, "launcher", "ok", str(launcher.hook()))


def _commands(client: Client, by_plugin: bool) -> dict[str, str]:
    """The shell's line that the client runs at each event of ours."""
    form = forms.adapter(client.name)
    assert form is not None
    if by_plugin:
        script = shlex.quote(str(plugin.folder(client) / plugin.START[client.name]))
        return {event: f"sh {script} {event}" for event in form.events}
    return {event: hook_command(client.name, event) for event in form.events}
