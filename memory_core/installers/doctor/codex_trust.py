"""Whether Codex runs our hooks: it skips in silence what a person has not trusted.

Asked of Codex itself where it is there; else read from its configuration, which tells
whether a hook was ever trusted, and not whether it was changed since. Nothing is granted.
"""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

from memory_core.installers import change, hook_entries
from memory_core.installers.client import Client, codex_folder
from memory_core.installers.doctor.link import Link

_SECONDS = 30
_REMEDY = "start codex, type /hooks, look at the hooks of wellkept and trust them"


def link(client: Client, folder: Path) -> Link:
    """Trusted, or which events are not."""
    states = _asked(client.where, folder) if client.where else None
    by = "Codex says"
    if states is None:
        states, by = _read(), "its configuration says"
    wrong = sorted(f"{event} ({state})" for event, state in states.items() if state != "trusted")
    if not states:
        said = "it does not list our hooks"
        return Link(client.name, "trust", "broken", said, f"wellkept install {client.name}")
    if wrong:
        return Link(
            client.name, "trust", "broken", f"{by}: not trusted: {', '.join(wrong)}", _REMEDY
        )
    return Link(client.name, "trust", "ok", f"{by}: all {len(states)} trusted")


def _asked(program: str, folder: Path) -> dict[str, str] | None:
    """Trust by event as Codex sees it; None when it does not answer."""
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize",
         "params": {"clientInfo": {"name": "wellkept", "version": "1"}}},
        {"method": "initialized"},
        {"id": 2, "method": "hooks/list", "params": {"cwds": [str(folder)]}},
    ]  # fmt: skip
    try:
        with subprocess.Popen(
            [program, "app-server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
        ) as process:  # fmt: skip
            try:
                return _conversation(process, messages)
            finally:
                process.kill()
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _conversation(
    process: subprocess.Popen[str], messages: list[dict[str, Any]]
) -> dict[str, str] | None:
    import threading

    assert process.stdin and process.stdout
    timer = threading.Timer(_SECONDS, process.kill)
    timer.start()
    try:
        for message in messages:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            process.stdin.flush()
        for line in process.stdout:
            answer = json.loads(line)
            if answer.get("id") == 2:
                return _states(answer["result"])
    finally:
        timer.cancel()
    return None


def _states(result: dict[str, Any]) -> dict[str, str]:
    found = {}
    for place in result["data"]:
        for hook in place["hooks"]:
            is_ours = hook_entries.is_ours(hook) or str(hook.get("pluginId")).startswith("wellkept")
            if is_ours and hook.get("enabled", True):
                found[str(hook["eventName"])] = str(hook["trustStatus"])
    return found


def _read() -> dict[str, str]:
    """Trust by event from the files; "trusted" means that it was, once."""
    file = codex_folder() / "hooks.json"
    try:
        hooks = json.loads(change.read(file) or b"{}").get("hooks", {})
        held = tomllib.loads((change.read(codex_folder() / "config.toml") or b"").decode("utf-8"))
    except (ValueError, AttributeError):
        return {}
    state = held.get("hooks", {}).get("state", {})
    found = {}
    for event, groups in hooks.items():
        for number, group in enumerate(groups):
            for index, handler in enumerate(group.get("hooks", ())):
                if hook_entries.is_ours(handler):
                    snake = re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()
                    known = state.get(f"{file}:{snake}:{number}:{index}", {})
                    found[event] = "trusted" if known.get("trusted_hash") else "untrusted"
    return found
