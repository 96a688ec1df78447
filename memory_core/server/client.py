"""Asks the warm server: HTTP/1.1 over its Unix socket, or over loopback TCP with a token.

Standard library only. The time limit of a call is total: connecting, sending and every
read share it, so a server that drips bytes cannot hold a caller longer.
"""

from __future__ import annotations

import json
import os
import socket
import time
from contextlib import suppress
from typing import Any

from memory_core import errors, paths
from memory_core.errors import ServerUnavailable, WellkeptError
from memory_core.server import protocol

START = "start it: wellkept up"
NOT_RUNNING = "the memory server is not running"
STALE = "the memory server is gone and left its socket behind"
REFUSED = "the memory server refuses the connection"
NO_ANSWER = "the memory server did not answer in time"
NONSENSE = "what answers in the memory server's place is not the memory server"
BROKE_OFF = "the memory server broke off its answer"

_HEAD_BYTES = 64 * 1024
_RETRY_SECONDS = 0.01


class Client:
    """Calls to the warm server; each opens its own connection and closes it."""

    def __init__(self, timeout_s: float = 30.0) -> None:
        self.timeout_s = timeout_s

    def call(
        self, path: str, body: dict[str, Any] | None = None, timeout: float | None = None
    ) -> dict[str, Any]:
        """POST `body` (GET without one) and return the answer's object.

        `timeout` is in seconds for the whole call. Raises `ServerUnavailable` with the
        reason, or the error of the tree that the server names when it refuses.
        """
        return _document(self._bytes(path, body, timeout))

    def text(self, path: str) -> str:
        """GET an answer that is text; raises as `call` does."""
        return self._bytes(path, None, None).decode("utf-8", "replace")

    def _bytes(self, path: str, body: dict[str, Any] | None, timeout: float | None) -> bytes:
        deadline = time.monotonic() + (self.timeout_s if timeout is None else timeout)
        try:
            connection, token = _connect(deadline)
            with connection:
                _remaining(connection, deadline)
                with suppress(ConnectionError):  # a refusal may come before all is sent
                    connection.sendall(_request(path, body, token))
                status, answer = _read_answer(connection, deadline)
        except TimeoutError:
            raise ServerUnavailable(NO_ANSWER, remedy="see wellkept status") from None
        except ConnectionError:
            raise ServerUnavailable(BROKE_OFF, remedy="see wellkept status") from None
        except OSError as error:
            raise ServerUnavailable(f"{REFUSED}: {error.strerror or error}") from None
        if status != 200:
            raise _refusal(status, _document(answer))
        return answer


def _connect(deadline: float) -> tuple[socket.socket, str]:
    """An open connection and the token to show, empty on a Unix socket."""
    if _uses_socket():
        return _connect_unix(os.fspath(paths.socket_file()), deadline), ""
    return _connect_tcp(deadline)


def _uses_socket() -> bool:
    if not hasattr(socket, "AF_UNIX") or os.environ.get(protocol.TRANSPORT) == "tcp":
        return False
    return _exists(os.fspath(paths.socket_file())) or not _exists(os.fspath(paths.token_file()))


def _exists(file: str) -> bool:
    try:
        os.stat(file)  # noqa: PTH116 - raises where Path.exists is silent
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _connect_unix(file: str, deadline: float) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        while True:
            try:
                _remaining(connection, deadline)
                connection.connect(file)
                return connection
            except BlockingIOError:  # its queue of connections is full
                time.sleep(_RETRY_SECONDS)
    except (FileNotFoundError, NotADirectoryError):
        reason = ServerUnavailable(NOT_RUNNING, remedy=START)
    except ConnectionRefusedError:
        reason = ServerUnavailable(STALE, remedy=START)
    except PermissionError:
        reason = ServerUnavailable(f"{REFUSED}: {file} belongs to another user")
    except BaseException:
        connection.close()
        raise
    connection.close()
    raise reason


def _connect_tcp(deadline: float) -> tuple[socket.socket, str]:
    file = os.fspath(paths.token_file())
    try:
        with open(file, "rb") as stream:  # noqa: PTH123 - a hook opens it without pathlib
            address = json.loads(stream.read(4096))
        host, port, token = str(address["host"]), int(address["port"]), str(address["token"])
    except (FileNotFoundError, NotADirectoryError):
        raise ServerUnavailable(NOT_RUNNING, remedy=START) from None
    except PermissionError:
        raise ServerUnavailable(f"{REFUSED}: {file} belongs to another user") from None
    except (ValueError, KeyError, TypeError):
        raise ServerUnavailable(f"{file} is damaged", remedy="wellkept down, wellkept up") from None
    if host not in ("127.0.0.1", "::1"):
        raise ServerUnavailable(f"{file} names {host!r}, which is not this machine")
    connection = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        _remaining(connection, deadline)
        connection.connect((host, port))
    except ConnectionRefusedError:
        connection.close()
        raise ServerUnavailable(NOT_RUNNING, remedy=START) from None
    except BaseException:
        connection.close()
        raise
    return connection, token


def _remaining(connection: socket.socket, deadline: float) -> None:
    """Give the next operation what is left of the time; raises `TimeoutError` at none."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    connection.settimeout(left)


def _request(path: str, body: dict[str, Any] | None, token: str) -> bytes:
    method, payload = ("GET", b"") if body is None else ("POST", json.dumps(body).encode())
    lines = [
        f"{method} {path} HTTP/1.1",
        "Host: wellkept",
        "Connection: close",
        "Content-Type: application/json",
        f"Content-Length: {len(payload)}",
    ]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    return "\r\n".join([*lines, "", ""]).encode() + payload


def _read_answer(connection: socket.socket, deadline: float) -> tuple[int, bytes]:
    received = bytearray()
    while (end := received.find(b"\r\n\r\n")) < 0:
        if len(received) > _HEAD_BYTES:
            raise ServerUnavailable(NONSENSE)
        received += _receive(connection, deadline)
    status, length = _parse_head(bytes(received[:end]))
    body = received[end + 4 :]
    while len(body) < length:
        body += _receive(connection, deadline)
    return status, bytes(body[:length])


def _document(answer: bytes) -> dict[str, Any]:
    """The answer's object; raises `ServerUnavailable` for anything else."""
    try:
        document = json.loads(answer)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise ServerUnavailable(NONSENSE)
    return document


def _receive(connection: socket.socket, deadline: float) -> bytes:
    _remaining(connection, deadline)
    received = connection.recv(65536)
    if not received:
        raise ConnectionError
    return received


def _parse_head(head: bytes) -> tuple[int, int]:
    """The status and the body's length; raises `ServerUnavailable` for anything else."""
    first, *lines = head.decode("latin-1").split("\r\n")
    fields = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in lines)
    }
    try:
        version, status = first.split(" ")[:2]
        length = int(fields["content-length"])
        if not version.startswith("HTTP/1.") or not 0 <= length <= protocol.ANSWER_BYTES:
            raise ValueError
        return int(status), length
    except (ValueError, KeyError):
        raise ServerUnavailable(NONSENSE) from None


def _refusal(status: int, answer: dict[str, Any]) -> WellkeptError:
    """The error that the server named, or the nearest one of the tree."""
    message = str(answer.get("error") or f"the memory server answered {status}")
    named = getattr(errors, str(answer.get("kind")), None)
    if not (isinstance(named, type) and issubclass(named, WellkeptError)):
        named = ServerUnavailable if answer.get("transient") else errors.Permanent
    if issubclass(named, errors.FieldTooLong):
        named = errors.BadInput
    return named(message, remedy=str(answer.get("remedy") or ""))
