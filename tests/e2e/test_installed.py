"""Each real client, set up by our installer: what its model reads, and what is kept of it."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import pytest
from sqlmodel import select

from deployments.clients import folder as sources
from memory_core.banks.schema import NAMES as TOOLS
from memory_core.hooks.clients import NAMES
from memory_core.store.database import Database
from memory_core.store.tables import ExchangeRow, OutboxRow
from tests.e2e.agents import Agent
from tests.e2e.conftest import Hire
from tests.warm import ASKED, NONSENSE, Warm

pytestmark = pytest.mark.e2e
REMEMBER = {  # what each client calls our tool, and what lets its model call it
    "claude-code": ("mcp__wellkept__remember", "--allowedTools=mcp__wellkept__remember"),
    "codex": ("mcp__wellkept.remember", "--dangerously-bypass-approvals-and-sandbox"),
    "gemini": ("mcp_wellkept_remember",),
    "opencode": ("wellkept_remember",),
}
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
def test_what_the_model_remembers_is_in_the_index_of_the_next_session(
    name: str, hire: Hire, warm: Warm
) -> None:
    agent = hire(name)
    agent.home = warm.home
    agent.install()
    fact = {"key": f"from {name}", "description": f"Told to {name}", "content": "Text."}
    tool, *allowed = REMEMBER[name]
    said = agent.turn(f"note it [[tool:{tool} {json.dumps(fact)}]] [[reply:noted]]", *allowed)
    assert "noted" in said
    line = json.dumps({"key": f"from-{name}", "description": f"Told to {name}"})
    assert line not in agent.stub.texts()
    before = len(agent.stub.requests)
    assert "now" in agent.turn("and now? [[reply:now]]")
    assert line in agent.stub.texts(before)


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


@pytest.mark.parametrize("name", NAMES)
def test_a_client_whose_memory_is_gone_still_works(name: str, hire: Hire, warm: Warm) -> None:
    agent = hire(name)
    agent.home = warm.home
    agent.install()
    shutil.rmtree(warm.home / "bin")
    assert "fine" in agent.turn("hello there [[reply:fine]]")


def settings_of(agent: Agent) -> dict[str, bytes]:
    """Every file of the client's user."""
    files = (file for file in agent.user.rglob("*") if file.is_file())
    return {str(file): file.read_bytes() for file in files}


def test_settings_and_a_plugin_beside_them_go_together(hire: Hire, warm: Warm) -> None:
    agent = hire("claude-code")
    agent.home = warm.home
    agent.on_path()
    agent.install()
    market = str(sources() / "claude-code")
    for words in (("marketplace", "add", market), ("install", "wellkept@wellkept")):
        assert agent.own("plugin", *words).returncode == 0
    assert agent.wellkept("install", "claude-code", "--yes").returncode == 1
    done = agent.wellkept("uninstall", "claude-code", "--yes")
    assert done.returncode == 0, done.stderr
    settings = (agent.user / ".claude" / "settings.json").read_text("utf-8")
    assert "wellkept-hook" not in settings and "wellkept@wellkept" not in settings
    assert agent.wellkept("install", "claude-code", "--yes").returncode == 0


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
