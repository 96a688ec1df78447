"""A client: its name, its program, its files, and which part of each is ours."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_core.errors import BadInput
from memory_core.hooks import clients as forms
from memory_core.installers import launcher
from memory_core.installers.part import JsonFile, Part, TomlTable, WholeFile

SERVER = "wellkept"  # our name among a client's MCP servers
_SECONDS = {"front": 5, "back": 10, "session-start": 10, "session-end": 10}


@dataclass(frozen=True, slots=True)
class Client:
    """`parts(sources)` are its files; `sources` is the folder `deployments`.

    `next_step` is what a person has to do in the client after an installation.
    """

    name: str
    title: str
    program: str
    parts: Callable[[Path], list[Part]]
    next_step: str

    @property
    def where(self) -> str:
        """Its program, or nothing when it is not installed."""
        return shutil.which(self.program) or ""


def client(name: str) -> Client:
    """The client of a name; raises `BadInput` with the names there are."""
    found = CLIENTS.get(name)
    if found is None:
        raise BadInput(f"no client {name!r}", remedy=f"one of: {', '.join(CLIENTS)}")
    return found


def hook_command(client: str, event: str) -> str:
    """The shell's line that a client runs at an event of ours.

    Gemini CLI stops a request at any exit code above 1, also that of a missing program.
    """
    line = f"{shlex.quote(os.fspath(launcher.hook()))} {event} --client {client}"
    return f"{line} || true" if client == forms.GEMINI else line


def _handlers(client: str, **fields: Any) -> dict[str, dict[str, Any]]:
    """By the client's name of an event: the handler in its form; seconds unless named."""
    form = forms.adapter(client)
    assert form is not None
    return {
        theirs: {
            "type": "command",
            "command": hook_command(client, ours),
            "timeout": _SECONDS[ours],
            **{key: value(ours) if callable(value) else value for key, value in fields.items()},
        }
        for ours, theirs in form.events.items()
    }


def _server() -> dict[str, Any]:
    return {"command": os.fspath(launcher.command()), "args": ["mcp"]}


def _home() -> Path:
    return Path("~").expanduser()


def _real(file: Path) -> Path:
    """Where a file really lies: some people keep their settings elsewhere and link to them."""
    return Path(os.path.realpath(file))


def _claude_code(_sources: Path) -> list[Part]:
    named = os.environ.get("CLAUDE_CONFIG_DIR")
    folder = Path(named) if named else _home() / ".claude"
    servers = folder / ".claude.json" if named else _home() / ".claude.json"
    server = {"type": "stdio", **_server(), "alwaysLoad": True}
    return [
        JsonFile(_real(folder / "settings.json"), _handlers(forms.CLAUDE_CODE), {}),
        JsonFile(_real(servers), {}, {("mcpServers", SERVER): server}),
    ]


def codex_folder() -> Path:
    """Where Codex keeps its configuration."""
    return Path(os.environ.get("CODEX_HOME") or _home() / ".codex")


def _codex(_sources: Path) -> list[Part]:
    def seconds(event: str) -> int:
        return 3 if event == "session-end" else _SECONDS[event]  # it warns of more

    # it counts by bytes, and our limit is one of characters
    handlers = _handlers(forms.CODEX, timeout=seconds)
    for event in ("SessionStart", "UserPromptSubmit"):
        handlers[event]["additionalContextLimit"] = 40_000
    return [
        JsonFile(_real(codex_folder() / "hooks.json"), handlers, {}),
        TomlTable(_real(codex_folder() / "config.toml"), ("mcp_servers", SERVER), _server()),
    ]


def _gemini(_sources: Path) -> list[Part]:
    folder = Path(os.environ.get("GEMINI_CLI_HOME") or _home()) / ".gemini"
    handlers = _handlers(
        forms.GEMINI,
        timeout=lambda event: _SECONDS[event] * 1000,
        name=lambda event: f"wellkept-{event}",
    )
    member: Mapping[tuple[str, str], dict[str, Any]] = {("mcpServers", SERVER): _server()}
    return [JsonFile(_real(folder / "settings.json"), handlers, member, comments=True)]


def opencode_folder() -> Path:
    """Where OpenCode keeps its configuration."""
    if named := os.environ.get("OPENCODE_CONFIG_DIR"):
        return Path(named)
    return Path(os.environ.get("XDG_CONFIG_HOME") or _home() / ".config") / "opencode"


def _opencode(sources: Path) -> list[Part]:
    folder = opencode_folder()
    commented = folder / "opencode.jsonc"
    settings = commented if commented.exists() else folder / "opencode.json"
    server = {
        "type": "local",
        "command": [os.fspath(launcher.command()), "mcp"],
        "enabled": True,
    }
    return [
        WholeFile(_real(folder / "plugins" / "wellkept.js"), opencode_plugin(sources)),
        JsonFile(_real(settings), {}, {("mcp", SERVER): server}, comments=True),
    ]


def opencode_plugin(sources: Path) -> str:
    """The text of our plugin, with the place of the launcher in it."""
    import json

    text = (sources / "opencode" / "wellkept.js").read_text("utf-8")
    return text.replace(
        "const HOOK = null", f"const HOOK = {json.dumps(os.fspath(launcher.hook()))}"
    )


CLIENTS = {
    one.name: one
    for one in (
        Client(
            forms.CLAUDE_CODE, "Claude Code", "claude", _claude_code,
            "Start a new session; a running one takes the hooks with its next request.",
        ),
        Client(
            forms.CODEX, "Codex", "codex", _codex,
            "Codex runs no hook that you have not trusted: start codex, type /hooks and look "
            "at the four of wellkept.",
        ),
        Client(forms.GEMINI, "Gemini CLI", "gemini", _gemini, "Start a new session."),
        Client(forms.OPENCODE, "OpenCode", "opencode", _opencode, "Start opencode again."),
    )
}  # fmt: skip
