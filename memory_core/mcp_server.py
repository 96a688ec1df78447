"""`wellkept mcp`: the three tools over MCP on standard input and output.

A relay of the standard library alone, so that a client that waits for it starts in a
moment. `initialize`, `ping` and `tools/list` are answered here, also while the warm
server is down; `tools/call` goes to the warm server, and an error result says so when
it does not answer.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from memory_core import paths
from memory_core.banks.ontology import load_ontology
from memory_core.banks.schema import INSTRUCTIONS, REFERENCE_TYPES, mcp_tools
from memory_core.errors import ServerUnavailable, WellkeptError
from memory_core.server import protocol
from memory_core.server.client import Client

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")  # newest first
CALL_SECONDS = 20.0
_PARSE, _INVALID, _METHOD, _PARAMETERS = -32700, -32600, -32601, -32602


def main(arguments: Sequence[str]) -> None:
    """Serve until standard input ends; options as `wellkept mcp --help` shows them."""
    place = _options(arguments)
    Relay(place, sys.stdout.buffer).serve(sys.stdin.buffer)


class Relay:
    """Answers JSON-RPC messages, one a line; tool calls run beside each other."""

    def __init__(self, place: dict[str, Any], output: BinaryIO) -> None:
        self._place = place
        self._output = output
        self._lock = threading.Lock()
        self._client = "agent"

    def serve(self, lines: BinaryIO) -> None:
        """Answer until the lines end, then finish the calls that are under way."""
        for line in lines:
            if line.strip():
                self._take(line)
        for thread in threading.enumerate():
            if thread.name == "tools/call":
                thread.join(CALL_SECONDS)

    def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return self._fail(None, _PARSE, "the line is no JSON")
        if not isinstance(message, dict) or not isinstance(message.get("method", ""), str):
            return self._fail(None, _INVALID, "the message is no JSON-RPC request")
        if "id" in message and "method" in message:
            parameters = message.get("params", {})
            self._answer(message["id"], message["method"], parameters)
        return None  # notifications, and answers to requests that were never sent

    def _answer(self, number: Any, method: str, parameters: Any) -> None:
        if not isinstance(parameters, dict):
            return self._fail(number, _PARAMETERS, "params must be an object")
        if method == "initialize":
            return self._send(number, self._initialized(parameters))
        if method == "ping":
            return self._send(number, {})
        if method == "tools/list":
            return self._send(number, {"tools": listed_tools()})
        if method == "tools/call":
            call = threading.Thread(
                target=self._call, args=(number, parameters), name="tools/call", daemon=True
            )
            return call.start()
        return self._fail(number, _METHOD, f"there is no method {method}")

    def _initialized(self, parameters: dict[str, Any]) -> dict[str, Any]:
        from importlib.metadata import version

        wanted, client = parameters.get("protocolVersion"), parameters.get("clientInfo")
        if isinstance(client, dict) and client.get("name"):
            self._client = f"agent {client['name']}"
        return {
            "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "wellkept", "version": version("wellkept")},
            "instructions": INSTRUCTIONS,
        }

    def _call(self, number: Any, parameters: dict[str, Any]) -> None:
        name, arguments = parameters.get("name"), parameters.get("arguments", {})
        if not isinstance(name, str) or not name.isidentifier():
            return self._fail(number, _PARAMETERS, "params.name must name a tool")
        if os.environ.get(protocol.GUARD):
            return self._fail(number, _PARAMETERS, "an agent that Wellkept started has no memory")
        body = {**self._place, "arguments": arguments or {}, "actor": self._client}
        try:
            result = Client().call(f"{protocol.TOOLS}/{name}", body, CALL_SECONDS)
            text, failed = json.dumps(result, ensure_ascii=False), not result.get("ok", True)
        except ServerUnavailable as error:
            text, failed = _unavailable(error), True
        except WellkeptError as error:
            text, failed = f"{error.message}. Nothing was changed. {error.remedy}".strip(), True
        content = [{"type": "text", "text": text}]
        return self._send(number, {"content": content, "isError": failed})

    def _send(self, number: Any, result: dict[str, Any]) -> None:
        self._write({"jsonrpc": "2.0", "id": number, "result": result})

    def _fail(self, number: Any, code: int, message: str) -> None:
        error = {"code": code, "message": message}
        self._write({"jsonrpc": "2.0", "id": number, "error": error})

    def _write(self, message: dict[str, Any]) -> None:
        with self._lock:
            self._output.write(json.dumps(message).encode() + b"\n")
            self._output.flush()


def listed_tools() -> list[dict[str, Any]]:
    """The tools as `tools/list` names them; a configuration that does not hold is left out.

    The warm server reports such a configuration with every call.
    """
    if os.environ.get(protocol.GUARD):
        return []
    listed = mcp_tools(*_vocabulary())
    for tool in listed:
        tool["_meta"] = {"anthropic/alwaysLoad": True}
    return listed


def _vocabulary() -> tuple[Sequence[str], Sequence[str]]:
    try:
        configured = tomllib.loads(paths.config_file().read_text("utf-8"))
    except (OSError, ValueError):
        configured = {}
    types = configured.get("reference_types", REFERENCE_TYPES)
    if text := os.environ.get("WELLKEPT_REFERENCE_TYPES"):
        try:
            types = json.loads(text)
        except ValueError:
            types = REFERENCE_TYPES
    named = os.environ.get("WELLKEPT_ONTOLOGY") or configured.get("ontology")
    try:
        kinds = load_ontology(Path(named).expanduser() if named else None).kinds
    except (WellkeptError, TypeError):
        kinds = ()
    if not isinstance(types, list | tuple) or not all(isinstance(name, str) for name in types):
        types = REFERENCE_TYPES
    return types, kinds


def _unavailable(error: ServerUnavailable) -> str:
    return (
        f"Memory is unavailable: {error.message}. Nothing was saved, read or removed. "
        "Go on without it and tell the user to run: wellkept up"
    )


def _options(arguments: Sequence[str]) -> dict[str, Any]:
    parser = argparse.ArgumentParser(
        prog="wellkept mcp", description="The memory tools over MCP, on standard input and output."
    )
    parser.add_argument("--user", help="whose memory (default: the setting)")
    parser.add_argument("--scope", help="which project (default: the folder's)")
    parser.add_argument("--ref", dest="refs", action="append", metavar="TYPE:ID")
    parser.add_argument("--tag", dest="tags", action="append", metavar="KIND:ID")
    place = {name: value for name, value in vars(parser.parse_args(arguments)).items() if value}
    place["cwd"] = os.environ.get("CLAUDE_PROJECT_DIR") or os.path.realpath(".")
    if session := os.environ.get("CLAUDE_CODE_SESSION_ID"):
        place["session"] = session
    return place
