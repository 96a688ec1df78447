"""The MCP relay: conforms to the official client, starts light, and says when it is alone."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_core.banks.schema import NAMES
from memory_core.mcp_server import VERSIONS
from memory_core.server.client import Client
from memory_core.server.protocol import GUARD

RELAY = [sys.executable, "-m", "memory_core", "mcp"]
FACT = {"key": "Deploy Day", "description": "We deploy on Tuesdays", "content": "At 10:00."}


def _talk(*messages: Any, arguments: tuple[str, ...] = (), cwd: Path | None = None) -> list[Any]:
    """The relay's answers to lines, by id where they have one."""
    lines = [item if isinstance(item, str) else json.dumps(item) for item in messages]
    done = subprocess.run(
        [*RELAY, *arguments], input="\n".join(lines), capture_output=True, text=True,
        timeout=60, cwd=cwd, check=True,
    )  # fmt: skip
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


def _request(number: Any, method: str, **parameters: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}


def _call(number: int, name: str, **arguments: Any) -> dict[str, Any]:
    return _request(number, "tools/call", name=name, arguments=arguments)


@pytest.fixture
def server(home: Path) -> Iterator[Path]:
    """A warm server without a vault: its models never load, its banks work."""
    process = subprocess.Popen(
        [sys.executable, "-m", "memory_core", "serve"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdout
    assert "listening" in process.stdout.readline()
    yield home
    process.terminate()
    assert process.wait(20) == 0


def test_a_handshake_is_answered_while_the_server_is_down() -> None:
    answers = _talk(
        _request(1, "initialize", protocolVersion="2025-06-18", capabilities={},
                 clientInfo={"name": "x", "version": "1"}),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        _request("two", "ping"),
        _request(3, "tools/list"),
        _request(4, "resources/list"),
    )  # fmt: skip
    assert [answer["id"] for answer in answers] == [1, "two", 3, 4]
    assert answers[0]["result"]["protocolVersion"] == "2025-06-18"
    assert answers[0]["result"]["capabilities"] == {"tools": {}}
    assert answers[1]["result"] == {}
    listed = answers[2]["result"]["tools"]
    assert [tool["name"] for tool in listed] == list(NAMES)
    assert all(tool["inputSchema"]["type"] == "object" for tool in listed)
    assert answers[3]["error"]["code"] == -32601


def test_a_call_says_that_the_server_is_down_and_what_to_do() -> None:
    (answer,) = _talk(_call(1, "remember", **FACT))
    assert answer["result"]["isError"] is True
    text = answer["result"]["content"][0]["text"]
    assert "unavailable" in text and "Nothing was saved" in text and "wellkept up" in text


def test_an_agent_that_wellkept_started_has_no_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(GUARD, "1")
    listed, called = _talk(_request(1, "tools/list"), _call(2, "remember", **FACT))
    assert listed["result"]["tools"] == []
    assert "has no memory" in called["error"]["message"]


@pytest.mark.parametrize(
    ("line", "code"),
    [("{broken", -32700), ("[1]", -32600), ('"x"', -32600), ('{"id": 1, "method": 5}', -32600),
     ('{"id": 1, "method": "tools/call", "params": [1]}', -32602),
     ('{"id": 1, "method": "tools/call", "params": {"name": "../health"}}', -32602),
     ("[" * 100_000, -32700)],
)  # fmt: skip
def test_a_malformed_message_is_an_error_and_the_relay_goes_on(line: str, code: int) -> None:
    broken, ping = _talk(line, _request(9, "ping"))
    assert broken["error"]["code"] == code
    assert ping["result"] == {}


def test_an_unknown_protocol_version_gets_the_newest() -> None:
    (answer,) = _talk(_request(1, "initialize", protocolVersion="1999-01-01"))
    assert answer["result"]["protocolVersion"] == VERSIONS[0]


def test_the_configured_vocabulary_is_in_the_schema(home: Path) -> None:
    ontology = home / "ontology.toml"
    ontology.write_text('[[instance]]\nkind = "domain"\nid = "finance"\n')
    (home / "config.toml").write_text(f'reference_types = ["ticket"]\nontology = "{ontology}"\n')
    (answer,) = _talk(_request(1, "tools/list"))
    fields = answer["result"]["tools"][0]["inputSchema"]["properties"]
    assert fields["refs"]["items"]["properties"]["type"]["enum"] == ["ticket"]
    assert fields["tags"]["items"]["properties"]["kind"]["enum"] == ["domain"]


def test_a_broken_configuration_still_lists_the_tools(home: Path) -> None:
    (home / "config.toml").write_text("reference_types = 7\nontology = 3\n")
    (answer,) = _talk(_request(1, "tools/list"))
    assert len(answer["result"]["tools"]) == 3


def test_the_relay_loads_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['wellkept', 'mcp']; from memory_core.cli import main; main();"
        "print(*sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input='{"id": 1, "method": "tools/list"}',
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    heavy = {"pydantic", "sqlmodel", "sqlalchemy", "torch", "tantivy", "mcp", "typer", "starlette"}
    assert not heavy & set(done.stderr.split())


def test_the_official_client_speaks_with_it_end_to_end(server: Path, tmp_path: Path) -> None:
    from mcp import Client as McpClient
    from mcp import StdioServerParameters

    async def session() -> None:
        relay = StdioServerParameters(
            command=RELAY[0], args=[*RELAY[1:], "--user", "ada", "--ref", "item:7"],
            env=dict(os.environ), cwd=tmp_path,
        )  # fmt: skip
        async with McpClient(relay) as client:
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == list(NAMES)
            made = await client.call_tool(
                "remember", {**FACT, "refs": [{"type": "item", "id": "7"}]}
            )
            assert not made.is_error
            found = await client.call_tool("recall_memories", {"query": "tuesdays"})
            assert json.loads(found.content[0].text)["memories"][0]["key"] == "deploy-day"
            refused = await client.call_tool("remember", {**FACT, "content": "x" * 2001})
            assert refused.is_error
            assert "2001 characters, the cap is 2000" in refused.content[0].text
            gone = await client.call_tool("forget_memory", {"key": "deploy-day"})
            assert not gone.is_error
            await asyncio.gather(*(client.call_tool("remember", {**FACT, "key": f"k{n}"})
                                   for n in range(8)))  # fmt: skip

    asyncio.run(session())
    listed = subprocess.run(
        [sys.executable, "-m", "memory_core", "memories", "--user", "ada", "--json"],
        capture_output=True, text=True, cwd=tmp_path, check=True,
    )  # fmt: skip
    assert [memory["key"] for memory in json.loads(listed.stdout)["memories"]] == [
        f"k{n}" for n in range(8)
    ]


def test_the_server_hands_out_the_digest_at_a_start_and_after_a_change(
    server: Path, tmp_path: Path
) -> None:
    place = {"cwd": str(tmp_path), "session": "s1"}
    client = Client()

    def prompt() -> str:
        return str(client.call("/recall", {**place, "query": "anything"})["digest"])

    start = client.call("/session-start", {**place, "source": "startup", "client": "x"})
    assert "No memory applies here yet." in start["digest"]
    assert prompt() == ""
    saved = client.call("/tools/remember", {"cwd": str(tmp_path), "arguments": FACT})
    assert saved["ok"]
    assert '"key": "deploy-day"' in prompt()
    assert prompt() == ""
    again = client.call("/session-start", {**place, "source": "compact", "client": "x"})
    assert '"key": "deploy-day"' in again["digest"]
    assert prompt() == ""


def test_a_digest_that_cannot_be_resolved_is_said_in_a_line(server: Path, tmp_path: Path) -> None:
    body = {"cwd": "", "session": "s", "source": "startup", "client": "x"}
    start = Client().call("/session-start", body)
    assert start["digest"] == ""
    assert any("no folder and no scope" in notice for notice in start["notices"])


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        free: int = probe.getsockname()[1]
    monkeypatch.setenv("WELLKEPT_MCP_PORT", str(free))
    return free


def test_the_official_client_speaks_over_http_with_the_token_only(port: int, server: Path) -> None:
    import httpx2
    from mcp import Client as McpClient
    from mcp.client.streamable_http import streamable_http_client

    url = f"http://127.0.0.1:{port}/mcp"
    token = server / "mcp.token"
    while not token.exists():
        time.sleep(0.05)
    assert token.stat().st_mode & 0o077 == 0

    async def session(headers: dict[str, str]) -> Any:
        async with httpx2.AsyncClient(headers=headers) as http:
            async with McpClient(streamable_http_client(url, http_client=http)) as client:
                assert [tool.name for tool in (await client.list_tools()).tools] == list(NAMES)
                return await client.call_tool("remember", FACT)

    bearer = {"Authorization": f"Bearer {token.read_text()}"}
    made = asyncio.run(session({**bearer, "X-Wellkept-Scope": "shop", "X-Wellkept-User": "ada"}))
    assert not made.is_error
    assert json.loads(made.content[0].text)["id"] == "user:ada:shop:deploy-day"
    nowhere = asyncio.run(session(bearer))
    assert nowhere.is_error
    assert "no folder and no scope" in nowhere.content[0].text
    refused = httpx2.post(url, json={}, headers={"Authorization": "Bearer wrong"})
    assert refused.status_code == 401


def test_a_taken_port_stops_nothing_else(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        monkeypatch.setenv("WELLKEPT_MCP_PORT", str(other.getsockname()[1]))
        request.getfixturevalue("server")
        assert Client().call("/tools/recall_memories", {"scope": "s", "arguments": {"query": "x"}})
