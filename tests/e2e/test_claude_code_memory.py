"""The real Claude Code: digest and tools are in the first request, and the tools work."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_core.banks.schema import NAMES, REFERENCE_TYPES, mcp_tools
from tests.e2e.agents import Agent

pytestmark = pytest.mark.e2e
ALLOWED = ("--allowedTools", ",".join(f"mcp__wellkept__{name}" for name in NAMES))
LINE = r'{"key": "deploy-day", "description": "We deploy on Tuesdays"}'


@pytest.fixture
def project(session: Agent) -> Agent:
    """Installed as we install it."""
    session.install()
    return session


@pytest.fixture
def server(home: Path) -> Iterator[None]:
    process = subprocess.Popen(
        [sys.executable, "-m", "memory_core", "serve"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdout and "listening" in process.stdout.readline()
    yield
    process.terminate()
    process.wait(20)


def _remember(project: Path, key: str, description: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "memory_core", "remember", key,
         "--description", description, "--content", "x"],
        cwd=project, check=True, capture_output=True,
    )  # fmt: skip


def _texts(body: dict[str, Any]) -> str:
    return json.dumps([body.get("system"), body["messages"]], ensure_ascii=False)


def test_digest_and_three_schemas_are_in_the_first_request(server: None, project: Agent) -> None:
    _remember(project.project, "Deploy Day", "We deploy on Tuesdays")
    assert "pong" in project.turn("hello [[reply:pong]]")
    first = project.stub.requests[0]
    assert json.dumps(LINE)[1:-1] in _texts(first)
    assert "## Memory" in _texts(first)
    offered = {tool["name"]: tool["input_schema"] for tool in first["tools"]}
    for tool in mcp_tools(REFERENCE_TYPES):
        assert (
            offered[f"mcp__wellkept__{tool['name']}"]["properties"]
            == (tool["inputSchema"]["properties"])
        )


def test_a_memory_written_by_the_model_is_in_the_ledger_and_in_the_next_request(
    server: None, project: Agent
) -> None:
    fact = {"key": "Deploy Day", "description": "We deploy on Tuesdays", "content": "At 10."}
    call = f"note it [[tool:mcp__wellkept__remember {json.dumps(fact)}]] [[reply:noted]]"
    assert "noted" in project.turn(call, *ALLOWED)
    assert LINE not in project.stub.requests[0]
    listed = subprocess.run(
        [sys.executable, "-m", "memory_core", "history", "--json"],
        cwd=project.project, check=True, capture_output=True, text=True,
    )  # fmt: skip
    (entry,) = json.loads(listed.stdout)["entries"]
    assert entry["actor"] == "agent claude-code"
    assert entry["reason"].startswith("remember (session ")
    before = len(project.stub.requests)
    project.turn("and now? [[reply:now]]", "--continue", *ALLOWED)
    assert json.dumps(LINE)[1:-1] in _texts(project.stub.requests[before])


def test_with_the_server_down_the_tools_are_there_and_say_so(project: Agent) -> None:
    call = 'look [[tool:mcp__wellkept__recall_memories {"query": "deploy"}]] [[reply:fine]]'
    assert "fine" in project.turn(call, *ALLOWED)
    assert "Memory unavailable" in _texts(project.stub.requests[0])
    assert "Memory is unavailable" in _texts(project.stub.requests[-1])
