"""Ports on loopback for programs that cannot use the socket; each with a token that lasts."""

from __future__ import annotations

import os
import secrets
import socket
from pathlib import Path

from memory_core import paths
from memory_core.errors import Permanent

HOST = "127.0.0.1"


def open_socket(port: int, what: str, setting: str) -> socket.socket:
    """A listening loopback socket.

    Raises `Permanent` that names the setting when the port is taken.
    """
    opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((HOST, port))
    except OSError as error:
        opened.close()
        raise Permanent(
            f"{what} cannot listen on port {port}: {error.strerror}",
            remedy=f"choose another {setting}",
        ) from None
    opened.listen()
    return opened


def kept_token(name: str) -> str:
    """The token in a file of the state folder, made once, readable by its owner only."""
    file: Path = paths.ensure_home() / name
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return file.read_text("utf-8").strip()
    token = secrets.token_urlsafe(32)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        stream.write(token)
    return token
