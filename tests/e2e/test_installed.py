"""Each real client, set up by our installer: what its model reads, and what is kept of it."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from sqlmodel import select

from memory_core.banks.schema import NAMES as TOOLS
from memory_core.hooks.clients import NAMES
from memory_core.store.database import Database
from memory_core.store.tables import ExchangeRow, OutboxRow
from tests.e2e.agents import Agent
from tests.e2e.conftest import Hire
from tests.warm import ASKED, NONSENSE, Warm

pytestmark = pytest.mark.e2e
LINE = '{"key": "deploy-day", "description": "We deploy on Tuesdays"}'


def recorded(home: Path, client: str, request: str) -> list[ExchangeRow]:
    """The exchanges of a client whose request holds a text."""
    store = Database(f"sqlite:///{home / 'wellkept.sqlite'}")
    with store.read() as session:
        rows = session.exec(select(ExchangeRow).where(ExchangeRow.client == client)).all()
    store.close()
    return [row for row in rows if row.spans and request in row.spans[0].get("text", "")]


def wraps(home: Path, session: str) -> list[OutboxRow]:
    """The wraps that were asked for of a session."""
    store = Database(f"sqlite:///{home / 'wellkept.sqlite'}")
    with store.read() as stored:
        rows = stored.exec(select(OutboxRow).where(OutboxRow.kind == "wrap")).all()
    store.close()
    return [row for row in rows if row.payload["session"] == session]


def says_anything(texts: str) -> bool:
    """Whether a hook of ours said something."""
    return any(sign in texts for sign in ("Notes from memory", "Memory: ", "Memory unavailable"))


def until(condition: object, seconds: float = 90.0) -> None:
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.3)


@pytest.mark.parametrize("name", NAMES)
def test_a_turn_reads_notes_and_index_and_is_recorded_once(
    name: str, hire: Hire, warm: Warm
) -> None:
    agent = hire(name)
    agent.home = warm.home
    agent.install()
    fact = ("--description", "We deploy on Tuesdays", "--content", "At 10.")
    assert agent.wellkept("remember", "Deploy Day", *fact).returncode == 0
    printed = agent.turn(f"{ASKED} [[reply:pong {name}]]")
    assert f"pong {name}" in printed

    texts = agent.stub.texts()
    assert "k8s-hpa-checkout.md" in texts and "open the file before acting on it" in texts
    assert LINE in texts
    assert "Memory unavailable" not in texts
    offered = json.dumps(agent.stub.requests[0]["tools"])
    assert all(tool in offered for tool in TOOLS)

    until(lambda: recorded(warm.home, name, f"pong {name}"))
    [exchange] = recorded(warm.home, name, f"pong {name}")
    until(lambda: wraps(warm.home, exchange.session))
    time.sleep(2)  # long enough for a second one to show
    [exchange] = recorded(warm.home, name, f"pong {name}")
    assert exchange.state == "answered"
    assert [(span["source"], f"pong {name}" in span["text"]) for span in exchange.spans] == [
        ("user", True), ("agent", True),
    ]  # fmt: skip
    assert len(wraps(warm.home, exchange.session)) == 1


@pytest.mark.parametrize("name", NAMES)
def test_after_an_uninstall_nothing_of_ours_is_in_a_turn(name: str, hire: Hire, warm: Warm) -> None:
    agent = hire(name)
    agent.home = warm.home
    before = settings_of(agent)
    agent.install()
    assert settings_of(agent) != before
    assert agent.wellkept("uninstall", name, "--yes").returncode == 0
    assert settings_of(agent) == before
    assert "fine" in agent.turn("hello there [[reply:fine]]")
    assert not says_anything(agent.stub.texts())
    assert "wellkept" not in json.dumps(agent.stub.requests[0]["tools"])


def settings_of(agent: Agent) -> dict[str, bytes]:
    """Every file of the client's user."""
    files = (file for file in agent.user.rglob("*") if file.is_file())
    return {str(file): file.read_bytes() for file in files}


def test_a_request_that_no_note_matters_to_says_so(hire: Hire, warm: Warm) -> None:
    agent = hire("claude-code")
    agent.home = warm.home
    agent.install()
    assert "pong" in agent.turn(f"{NONSENSE} [[reply:pong]]")
    assert "no note is relevant" in agent.stub.texts()


@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini"])
def test_the_plugin_does_the_same_and_leaves_nothing_active(
    name: str, hire: Hire, warm: Warm
) -> None:
    agent = hire(name)
    agent.home = warm.home
    agent.on_path()
    agent.install("--plugin")
    again = agent.wellkept("install", name, "--yes", "--plugin")
    assert (again.returncode, again.stdout) == (0, "Nothing to change.\n")
    twice = agent.wellkept("install", name, "--yes")
    assert twice.returncode == 1 and "has the wellkept plugin already" in twice.stderr
    assert f"plug {name}" in agent.turn(f"{ASKED} [[reply:plug {name}]]")
    texts = agent.stub.texts()
    assert "k8s-hpa-checkout.md" in texts and "Memory unavailable" not in texts
    assert all(tool in json.dumps(agent.stub.requests[0]["tools"]) for tool in TOOLS)
    until(lambda: recorded(warm.home, name, f"plug {name}"))
    before = len(agent.stub.requests)
    assert agent.wellkept("uninstall", name, "--yes").returncode == 0
    assert "fine" in agent.turn("hello there [[reply:fine]]")
    assert not says_anything(agent.stub.texts(before))
    assert not (warm.home / "plugins").exists()
