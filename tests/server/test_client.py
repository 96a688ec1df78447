"""The client reaches a server over either transport and names what is wrong with it."""

from __future__ import annotations

import http.server
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_core.errors import BadInput, Conflict, Permanent, ServerUnavailable
from memory_core.server import client
from memory_core.server.client import Client
from memory_core.server.listener import Listener, listen


class _Echo(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status = body.pop("_status", 200)
        answer = body or {"auth": self.headers["Authorization"]}
        payload = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def address_string(self) -> str:
        return "local"

    def log_message(self, *_: Any) -> None:
        pass


def _serve(listener: Listener) -> http.server.HTTPServer:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Echo, bind_and_activate=False)
    server.socket.close()
    server.socket = listener.socket
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@pytest.fixture(params=["unix", "tcp"])
def echo(request: pytest.FixtureRequest, home: Path) -> Iterator[Listener]:
    listener = listen(request.param)
    server = _serve(listener)
    yield listener
    server.shutdown()
    listener.close()


def test_a_body_goes_there_and_an_object_comes_back(echo: Listener) -> None:
    given = {"text": "ø 中文 🧠", "lone": "\ud800", "long": "x" * 3_000_000}
    assert Client(20).call("/any", given) == given


def test_the_token_is_shown_over_tcp_only(echo: Listener) -> None:
    shown = Client(20).call("/any", {})["auth"]
    assert shown == (f"Bearer {echo.token}" if echo.token else None)


@pytest.mark.parametrize(
    ("answer", "raised"),
    [
        ({"_status": 400, "error": "no", "kind": "BadInput"}, BadInput),
        ({"_status": 409, "error": "no", "kind": "Conflict"}, Conflict),
        ({"_status": 400, "error": "no", "kind": "FieldTooLong"}, BadInput),
        ({"_status": 400, "error": "no", "kind": "os"}, Permanent),
        ({"_status": 503, "error": "no", "transient": True}, ServerUnavailable),
    ],
)
def test_a_refusal_is_the_error_that_the_server_named(
    echo: Listener, answer: dict[str, Any], raised: type[Exception]
) -> None:
    with pytest.raises(raised, match="no"):
        Client(20).call("/any", answer)


def test_a_token_file_of_a_dead_server_means_not_running(home: Path) -> None:
    with socket.socket() as gone:
        gone.bind(("127.0.0.1", 0))
        port = gone.getsockname()[1]
    address = {"host": "127.0.0.1", "port": port, "token": "t"}
    (home / "server.tcp").write_text(json.dumps(address))
    with pytest.raises(ServerUnavailable, match=client.NOT_RUNNING):
        Client(20).call("/health")


@pytest.mark.parametrize(
    "written", ["", "{}", "[]", '{"host": "127.0.0.1", "port": "x", "token": ""}']
)
def test_a_damaged_token_file_is_named(home: Path, written: str) -> None:
    (home / "server.tcp").write_text(written)
    with pytest.raises(ServerUnavailable, match=r"server\.tcp is damaged"):
        Client(20).call("/health")


def test_no_other_machine_is_ever_asked(home: Path) -> None:
    elsewhere = {"host": "example.org", "port": 80, "token": "t"}
    (home / "server.tcp").write_text(json.dumps(elsewhere))
    with pytest.raises(ServerUnavailable, match="not this machine"):
        Client(20).call("/health")
