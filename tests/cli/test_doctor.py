"""`wellkept doctor` finds what is broken, and only that."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from deployments.clients import folder as sources
from memory_core import paths
from memory_core.hooks import spool
from memory_core.installers import install as by_hand
from memory_core.installers import launcher
from memory_core.installers.client import client
from memory_core.installers.doctor import examine
from memory_core.store import ledger
from memory_core.store.database import Database
from memory_core.store.tables import MemoryRow
from tests.warm import Warm

Found = dict[tuple[str, str], dict[str, Any]]


def doctor(folder: Path) -> tuple[int, Found]:
    """Exit code, and each link by its part and name."""
    done = subprocess.run(
        [sys.executable, "-I", "-m", "memory_core", "doctor", "--json"],
        cwd=folder, capture_output=True, text=True, timeout=110, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    document = json.loads(done.stdout)
    assert document["healthy"] == (done.returncode == 0)
    return done.returncode, {(one["part"], one["name"]): one for one in document["links"]}


def examined(folder: Path) -> Found:
    return {(one.part, one.name): one.as_json() for one in examine(sources(), folder)}


def broken(found: Found) -> set[tuple[str, str]]:
    for one in found.values():
        assert one["state"] != "broken" or (one["said"] and one["remedy"])
    return {name for name, one in found.items() if one["state"] == "broken"}


def install(*names: str) -> None:
    for name in names:
        by_hand.install(client(name), sources()).apply()


@pytest.fixture
def place(warm: Warm, tmp_path: Path) -> Iterator[Path]:
    """A project folder; what was installed is taken out again."""
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "user").mkdir()
    yield folder
    for name in ("claude-code", "codex", "gemini", "opencode"):
        by_hand.uninstall(client(name), sources()).apply()


def test_a_chain_that_is_well_is_well_in_a_round_trip(place: Path, warm: Warm) -> None:
    install("claude-code", "gemini", "opencode")
    code, found = doctor(place)
    assert code == 0, found
    for name in ("claude-code", "gemini", "opencode"):
        own = {link: one for (part, link), one in found.items() if part == name}
        assert all(one["state"] == "ok" or one["passes"] for one in own.values())  # busy is well
        assert own.keys() >= {"settings", "once", "store", "recall", "inject", "notes", "record"}
    assert found["codex", "settings"]["state"] == "absent"
    with Database(f"sqlite:///{warm.home / 'wellkept.sqlite'}").read() as session:
        left = session.exec(select(MemoryRow).where(col(MemoryRow.key).startswith("doctor-"))).all()
        changes = ledger.entries(session, target=None, limit=20, before=None)
    assert left == []
    assert [row.action for row in changes if ":doctor-" in row.target] == ["forget", "add"] * 3
    assert not (warm.home / "doctor").exists()
    assert spool.names() == []


def test_hooks_that_codex_was_not_told_to_trust_are_named(place: Path, tmp_path: Path) -> None:
    install("codex")
    found = examined(place)
    assert broken(found) == {("codex", "trust")}
    trust = found["codex", "trust"]
    assert "/hooks" in trust["remedy"]
    for event in ("UserPromptSubmit", "Stop", "SessionStart", "SessionEnd"):
        assert f"{event} (untrusted)" in trust["said"]
    config = tmp_path / "user" / ".codex" / "config.toml"
    assert "trusted_hash" not in config.read_text("utf-8")
    lines = "".join(
        f'[hooks.state."{config.parent}/hooks.json:{event}:0:0"]\ntrusted_hash = "sha256:1"\n'
        for event in ("user_prompt_submit", "stop", "session_start", "session_end")
    )
    config.write_text(config.read_text("utf-8") + lines, "utf-8")
    assert broken(examined(place)) == set()


def test_without_a_server_the_round_trip_is_not_tried(home: Path, tmp_path: Path) -> None:
    install("claude-code")
    found = examined(tmp_path)
    assert {("wellkept", "server"), ("claude-code", "round trip")} <= broken(found)
    assert ("claude-code", "store") not in found
    assert doctor(tmp_path)[0] == 1


@pytest.mark.parametrize("health", [{"version": "0.0.9"}, {"version": "9.9", "protocol": 99}])
def test_a_server_of_another_version_is_named(
    health: dict[str, Any], home: Path, tmp_path: Path
) -> None:
    body = json.dumps({"status": "ready", "reason": "", **health}).encode()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(paths.socket_file()))
    listener.listen()

    def serve() -> None:
        for _ in range(2):
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n"
                connection.sendall(head.encode() + body)

    threading.Thread(target=serve, daemon=True).start()
    server = examined(tmp_path)["wellkept", "server"]
    listener.close()
    assert server["state"] == "broken" and health["version"] in server["said"]
    assert "wellkept down" in server["remedy"]


@pytest.mark.parametrize(
    ("name", "place", "setting"),
    [
        ("claude-code", ".claude", {"disableAllHooks": True}),
        ("gemini", ".gemini", {"hooksConfig": {"enabled": False}}),
        ("gemini", ".gemini", {"hooksConfig": {"disabled": ["wellkept-front"]}}),
    ],
)
def test_hooks_that_are_switched_off_are_named(
    name: str, place: str, setting: dict[str, Any], home: Path, tmp_path: Path
) -> None:
    file = tmp_path / "user" / place / "settings.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(setting), "utf-8")
    install(name)
    assert (name, "switched on") in broken(examined(tmp_path))


def test_a_plugin_beside_the_settings_is_named(place: Path, tmp_path: Path) -> None:
    install("claude-code")
    settings = tmp_path / "user" / ".claude" / "settings.json"
    document = json.loads(settings.read_text("utf-8"))
    document["enabledPlugins"] = {"wellkept@wellkept": True}
    settings.write_text(json.dumps(document), "utf-8")
    found = examined(place)
    assert ("claude-code", "once") in broken(found)
    assert "wellkept uninstall" in found["claude-code", "once"]["remedy"]


def test_hooks_in_the_project_beside_the_users_are_named(place: Path, tmp_path: Path) -> None:
    install("claude-code")
    (place / ".claude").mkdir()
    copied = (tmp_path / "user" / ".claude" / "settings.json").read_bytes()
    (place / ".claude" / "settings.json").write_bytes(copied)
    assert broken(examined(place)) == {("claude-code", "once")}


def test_a_missing_entry_and_a_missing_interpreter_are_named(place: Path, tmp_path: Path) -> None:
    install("gemini")
    settings = tmp_path / "user" / ".gemini" / "settings.json"
    document = json.loads(settings.read_text("utf-8"))
    del document["hooks"]["AfterAgent"]
    settings.write_text(json.dumps(document), "utf-8")
    text = launcher.hook().read_text("utf-8")
    launcher.hook().write_text(text.replace(sys.executable, "/gone/python"), "utf-8")
    found = examined(place)
    assert broken(found) == {("gemini", "settings"), ("gemini", "launcher")}
    assert found["gemini", "settings"]["remedy"] == "wellkept install gemini"


def test_settings_that_are_no_json_are_named(place: Path, tmp_path: Path) -> None:
    file = tmp_path / "user" / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text("{", "utf-8")
    found = examined(place)
    assert broken(found) == {("claude-code", "settings")}
    assert str(file) in found["claude-code", "settings"]["said"]
    file.unlink()
