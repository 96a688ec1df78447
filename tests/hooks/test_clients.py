"""Every client's recorded events through the real hook: an exact document or nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memory_core.hooks import spool
from memory_core.hooks.clients import NAMES, adapter
from tests.hooks.test_events import context, hook, prompt
from tests.record.replay import nobody_stores
from tests.warm import ASKED, Warm

CLIENTS = Path(__file__).parents[1] / "data" / "clients"
RECORDED = {"codex": CLIENTS / "codex", "gemini": CLIENTS / "gemini-cli"}
SCENARIOS = [
    (client, folder)
    for client, recorded in RECORDED.items()
    for folder in sorted((recorded / "scenarios").iterdir())
]


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """Enough time on a busy machine: the time limit is not what is tested here."""
    monkeypatch.setenv("WELLKEPT_DEADLINE_MS", "10000")


def events_of(client: str) -> dict[str, str]:
    """Our event by the client's name of it."""
    form = adapter(client)
    assert form
    return {theirs: ours for ours, theirs in form.events.items()}


@pytest.mark.parametrize(("client", "folder"), SCENARIOS, ids=lambda one: getattr(one, "name", one))
def test_a_recorded_scenario_gets_exact_documents(client: str, folder: Path, warm: Warm) -> None:
    ours = events_of(client)
    with nobody_stores():
        for file in sorted(folder.glob("*.json")):
            event = json.loads(file.read_text("utf-8"))["hook_event_name"]
            for name in {ours.get(event), "front"} - {None}:
                printed = hook(str(name), "--client", client, given=file.read_bytes())
                if name == ours.get(event) and name in ("front", "session-start"):
                    text = context(printed, event)
                    assert text.startswith(("Memory", "Notes from memory"))
                    assert "unavailable" not in text
                else:
                    assert printed == b""


@pytest.mark.parametrize("client", RECORDED)
def test_a_hook_stays_silent_at_every_event_but_its_own(client: str, home: Path) -> None:
    ours = events_of(client)
    for file in sorted((RECORDED[client] / "events").glob("*.json")):
        for name in {"front", "back"} - {ours.get(file.stem)}:
            assert hook(name, "--client", client, given=file.read_bytes()) == b""
    assert spool.names() == []


@pytest.mark.parametrize("client", NAMES)
def test_the_note_comes_under_the_clients_own_name_of_the_event(client: str, warm: Warm) -> None:
    form = adapter(client)
    assert form
    given = {"session_id": "", "hook_event_name": form.events["front"], "prompt": ASKED}
    text = context(hook("front", "--client", client, given=given), form.events["front"])
    assert "k8s-hpa-checkout.md" in text


@pytest.mark.parametrize("client", NAMES)
def test_without_a_server_every_client_is_told(client: str, home: Path) -> None:
    form = adapter(client)
    assert form
    for name in ("front", "session-start"):
        given = {"hook_event_name": form.events[name], "prompt": "x"}
        text = context(hook(name, "--client", client, given=given), form.events[name])
        assert text.startswith("Memory unavailable: the memory server is not running")


def test_a_subagent_is_left_alone(home: Path) -> None:
    for client in ("claude-code", "codex", "plugin"):
        given = prompt("x") | {"agent_id": "a80f3cee3ab2f8760", "agent_type": "Explore"}
        assert hook("front", "--client", client, given=given) == b""


@pytest.mark.parametrize(
    ("file", "client"),
    [
        ("claude-code/scenarios/one-turn/003-Stop.json", "claude-code"),
        ("codex/scenarios/one-turn/002-Stop.json", "codex"),
    ],
)
def test_the_shared_plugin_knows_whose_hook_it_is(file: str, client: str, home: Path) -> None:
    with nobody_stores():
        assert hook("back", "--client", "plugin", given=(CLIENTS / file).read_bytes()) == b""
        [name] = spool.names()
        event = spool.read(name)
    assert event and event["client"] == client and event["turn"]


def test_the_messages_of_opencode_are_left_redacted_with_their_names(home: Path) -> None:
    messages = json.loads((CLIENTS / "opencode" / "session_messages.json").read_text("utf-8"))
    messages[0]["parts"][0]["text"] = "export PGPASSWORD=hunter2secret now"
    messages[1]["parts"].append({"type": "tool", "state": {"input": {"password": "hunter2secret"}}})
    given: dict[str, Any] = {
        "session_id": "ses_1", "hook_event_name": "session.idle", "messages": messages
    }  # fmt: skip
    with nobody_stores():
        assert hook("back", "--client", "opencode", given=given) == b""
        [name] = spool.names()
        event = spool.read(name)
        assert event and spool.is_own(event["transcript"])
        left = Path(event["transcript"]).read_text("utf-8")
    assert "hunter2" not in left
    for message, line in zip(messages, left.splitlines(), strict=True):
        assert json.loads(line)["info"] == message["info"]
