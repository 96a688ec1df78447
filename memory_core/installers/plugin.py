"""Installs through the client's own commands: a plugin for two clients, an extension for a third.

They write what they like into their settings, so this promises only that nothing of ours
stays active after an uninstall. What they install is a copy under `WELLKEPT_HOME`, at a
place that no version changes.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import tomllib
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from memory_core import paths
from memory_core.errors import BadInput, Conflict, Permanent, WellkeptError
from memory_core.hooks import clients as forms
from memory_core.installers import change, launcher, manifest
from memory_core.installers.change import Change
from memory_core.installers.client import Client, codex_folder
from memory_core.installers.json_text import JsonText
from memory_core.installers.manifest import Manifest

NAME = "wellkept@wellkept"  # plugin@marketplace
_SECONDS = 120
_SOURCES = {
    forms.CLAUDE_CODE: "claude-code", forms.CODEX: "claude-code", forms.GEMINI: "gemini",
}  # fmt: skip
START = {  # what starts our hooks in it
    forms.CLAUDE_CODE: "plugins/wellkept/scripts/start.sh",
    forms.CODEX: "plugins/wellkept/scripts/start.sh",
    forms.GEMINI: "scripts/start.sh",
}
_ADD = {
    forms.CLAUDE_CODE: (("plugin", "marketplace", "add", "{}"), ("plugin", "install", NAME)),
    forms.CODEX: (("plugin", "marketplace", "add", "{}"), ("plugin", "add", NAME)),
    forms.GEMINI: (("extensions", "link", "--consent", "{}"),),
}
_REMOVE = {
    forms.CLAUDE_CODE: (
        ("plugin", "uninstall", NAME), ("plugin", "marketplace", "remove", "wellkept"),
    ),
    forms.CODEX: (("plugin", "remove", NAME), ("plugin", "marketplace", "remove", "wellkept")),
    forms.GEMINI: (("extensions", "uninstall", "wellkept"),),
}  # fmt: skip

Say = Callable[[str], object]
Ask = Callable[[], bool]


def install(client: Client, sources: Path, ask: Ask, say: Say) -> None:
    """Copy the plugin, show the client's commands, run them; again only what is new.

    Raises `BadInput` where the client has none or is not there, `Conflict` where we are in
    its settings already, `Permanent` when a command fails; then the client is as before.
    """
    commands = _commands(client, _ADD)
    if in_files(client, sources):
        raise Conflict(
            f"wellkept stands in the settings of {client.title} already; both would run",
            remedy=f"first: wellkept uninstall {client.name}",
        )
    copied = _copied(client, sources)
    files = [*launcher.changes(), *copied]
    if is_active(client):
        is_new = any(one.is_one for one in copied)  # a client may hold a copy of our copy
        commands = [*_commands(client, _REMOVE), *commands] if is_new else []
    if not commands and not any(one.is_one for one in files):
        say("Nothing to change.")
        return
    _show(commands, files, say)
    if not ask():
        return
    paths.ensure_home()
    change.apply(files)
    for command in commands:
        if said := _run(command):
            for undone in _commands(client, _REMOVE):
                _run(undone)
            raise Permanent(f"{shlex.join(command)} failed: {said}")
    change.apply([Manifest(client.name, version("wellkept"), how="plugin").write()])
    say(f"{client.title} has the wellkept plugin now. {client.next_step}")


def uninstall(client: Client, ask: Ask, say: Say) -> None:
    """Run the client's commands that remove it; raises `Permanent` when it stays active."""
    commands = _commands(client, _REMOVE)
    _show(commands, [], say)
    if not ask():
        return
    said = [answer for command in commands if (answer := _run(command))]
    if is_active(client):
        raise Permanent(f"the plugin is still active: {'; '.join(said) or 'no reason given'}")
    held = manifest.load(client.name)
    by_hand_too = held is not None and held.how != "plugin"
    gone = [] if by_hand_too else manifest.removal(client.name)
    others = set(manifest.installed()) - (set() if by_hand_too else {client.name})
    if not any(_shares_copy(client, other) for other in others - {client.name}):
        gone += [Change(file, change.read(file), None) for file in _files(folder(client))]
    if not others:
        gone += launcher.removals()
    change.apply(gone)
    change.remove_empty([
        *(one for one in paths.home().absolute().glob("plugins/**/") if one.is_dir()),
        manifest.folder() / "before", manifest.folder(), launcher.folder(),
    ])  # fmt: skip
    say(f"{client.title} is without the wellkept plugin again.")


def _shares_copy(client: Client, other: str) -> bool:
    """Whether another client has the plugin from the same folder."""
    held = manifest.load(other)
    return held is not None and held.how == "plugin" and _SOURCES[other] == _SOURCES[client.name]


def is_active(client: Client) -> bool:
    """Whether the client has our plugin or extension switched on."""
    if client.name == forms.CLAUDE_CODE:
        settings = client.parts(Path())[0].file
        return bool(_at(json_of(settings), "enabledPlugins", NAME))
    if client.name == forms.CODEX:
        return bool(_at(_toml(codex_folder() / "config.toml"), "plugins", NAME, "enabled"))
    if client.name == forms.GEMINI:
        return (client.parts(Path())[0].file.parent / "extensions" / "wellkept").is_dir()
    return False


def json_of(file: Path) -> Any:
    """What a JSON file says, comments or not; an empty object for any other."""
    try:
        content = change.read(file) or b"{}"
        return JsonText(content.decode("utf-8-sig"), comments=True).document
    except (ValueError, WellkeptError):
        return {}


def refuse_if_active(client: Client) -> None:
    """Raise `Conflict` where the plugin is active: both would run, and say everything twice."""
    if is_active(client):
        raise Conflict(
            f"{client.title} has the wellkept plugin already; both would run",
            remedy=f"first: wellkept uninstall {client.name}",
        )


def in_files(client: Client, sources: Path) -> bool:
    """Whether entries of ours stand in the client's own files."""
    for part in client.parts(sources):
        content = change.read(part.file)
        if content is not None and part.removed(content, None) != content:
            return True
    return False


def _commands(client: Client, table: Mapping[str, Sequence[Sequence[str]]]) -> list[list[str]]:
    if client.name not in table:
        raise BadInput(
            f"{client.title} has no command that installs a plugin", remedy="leave --plugin out"
        )
    if not client.where:
        raise BadInput(
            f"{client.program} was not found, and --plugin needs its commands",
            remedy="leave --plugin out: its settings are then edited by hand",
        )
    copied = os.fspath(folder(client))
    return [
        [client.where, *(word.replace("{}", copied) for word in words)]
        for words in table[client.name]
    ]


def _show(commands: list[list[str]], files: list[Change], say: Say) -> None:
    for one in files:
        if one.is_one:
            say(f"writes {one.file}")
    for command in commands:
        say(f"runs   {shlex.join(command)}")


def _run(command: list[str]) -> str:
    """Nothing, or the last line of what a failed command said."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, stdin=subprocess.DEVNULL,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{type(error).__name__}"
    if done.returncode == 0:
        return ""
    lines = (done.stderr or done.stdout).strip().splitlines()
    return lines[-1][:300] if lines else f"exit code {done.returncode}"


def folder(client: Client) -> Path:
    """Our copy of what the client installs."""
    return paths.home().absolute() / "plugins" / _SOURCES[client.name]


def _copied(client: Client, sources: Path) -> list[Change]:
    """Our folder, with the launchers' place written into it."""
    source, target = sources / _SOURCES[client.name], folder(client)
    found = []
    for file in _files(source):
        to = target / file.relative_to(source)
        content = _placed(file).encode("utf-8", "surrogateescape")
        found.append(Change(to, change.read(to), content))
    return found


def _placed(file: Path) -> str:
    text = file.read_text("utf-8")
    if file.name == ".mcp.json":
        document = json.loads(text)
        server = {"command": os.fspath(launcher.command()), "args": ["mcp"]}
        document["mcpServers"]["wellkept"] |= server
        return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
    if file.name == "start.sh":
        text = text.replace(
            'launcher="${WELLKEPT_HOME:-$HOME/.wellkept}/bin/wellkept-hook"',
            f"launcher={shlex.quote(os.fspath(launcher.hook()))}",
        )
        return text.replace(
            'bin="${WELLKEPT_HOME:-$HOME/.wellkept}/bin"',
            f"bin={shlex.quote(os.fspath(launcher.folder()))}",
        )
    return text


def _files(within: Path) -> list[Path]:
    return sorted(file for file in within.rglob("*") if file.is_file())


def _toml(file: Path) -> Any:
    try:
        return tomllib.loads((change.read(file) or b"").decode("utf-8", "replace"))
    except tomllib.TOMLDecodeError:
        return {}


def _at(document: Any, *names: str) -> Any:
    for name in names:
        document = document.get(name) if isinstance(document, dict) else None
    return document
