"""What we ship for clients: of this version, complete, and honest where nothing is set up."""

from __future__ import annotations

import json
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest

from deployments.clients import folder
from memory_core.hooks.clients import adapter

PLUGIN = folder() / "claude-code" / "plugins" / "wellkept"
EXTENSION = folder() / "gemini"
HOOKS = [(PLUGIN, "claude-code"), (PLUGIN, "codex"), (EXTENSION, "gemini")]


def test_the_manifests_name_this_version() -> None:
    for file in (PLUGIN / ".claude-plugin" / "plugin.json", EXTENSION / "gemini-extension.json"):
        assert json.loads(file.read_text("utf-8"))["version"] == version("wellkept")


@pytest.mark.parametrize(("place", "client"), HOOKS)
def test_every_event_of_a_client_starts_its_hook(place: Path, client: str) -> None:
    form = adapter(client)
    assert form
    hooks = json.loads((place / "hooks" / "hooks.json").read_text("utf-8"))["hooks"]
    assert hooks.keys() == set(form.events.values())
    for ours, theirs in form.events.items():
        [group] = hooks[theirs]
        [handler] = group["hooks"]
        assert handler["command"].endswith(f'/scripts/start.sh" {ours}')


@pytest.mark.parametrize(("place", "client"), HOOKS)
def test_without_an_installation_a_person_is_told(place: Path, client: str, tmp_path: Path) -> None:
    form = adapter(client)
    assert form
    for event, theirs in form.events.items():
        done = subprocess.run(
            ["sh", place / "scripts" / "start.sh", event], stdin=subprocess.DEVNULL,
            capture_output=True, env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}, check=True,
        )  # fmt: skip
        if event in ("front", "session-start"):
            output = json.loads(done.stdout)["hookSpecificOutput"]
            assert output["hookEventName"] == theirs
            assert output["additionalContext"].startswith("Memory unavailable: ")
        else:
            assert done.stdout == b""


@pytest.mark.parametrize("place", [PLUGIN, EXTENSION])
def test_an_event_is_handed_to_the_users_launcher(place: Path, tmp_path: Path) -> None:
    launcher = tmp_path / "sta te" / "bin" / "wellkept-hook"
    launcher.parent.mkdir(parents=True)
    launcher.write_text('#!/bin/sh\necho "$@"; cat\n', "utf-8")
    launcher.chmod(0o700)
    done = subprocess.run(
        ["sh", place / "scripts" / "start.sh", "front"], input=b"payload", capture_output=True,
        env={"WELLKEPT_HOME": str(tmp_path / "sta te"), "PATH": "/usr/bin:/bin"}, check=True,
    )  # fmt: skip
    client = "gemini" if place == EXTENSION else "plugin"
    assert done.stdout == f"front --client {client}\npayload".encode()
