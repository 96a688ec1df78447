"""Where the warm server listens: an owner-only Unix socket, or loopback TCP with a token."""

from __future__ import annotations

import json
import os
import secrets
import socket
import stat
from dataclasses import dataclass
from pathlib import Path

from memory_core import paths
from memory_core.errors import Conflict, Permanent

BACKLOG = 256


@dataclass(frozen=True, slots=True)
class Listener:
    """A listening socket; `token` is empty where the socket file's mode guards it.

    `file` is removed when the server ends.
    """

    socket: socket.socket
    file: Path
    token: str = ""

    @property
    def address(self) -> str:
        """Where it listens, for people."""
        if not self.token:
            return str(self.file)
        host, port = self.socket.getsockname()[:2]
        return f"{host}:{port}"

    def close(self) -> None:
        """Stop listening and remove the file."""
        self.socket.close()
        self.file.unlink(missing_ok=True)


def listen(transport: str) -> Listener:
    """Open the listener of `transport`, "unix" or "tcp"; remove what the other one left.

    Raises `Conflict` when a living process answers on the socket.
    """
    if transport == "unix" and hasattr(socket, "AF_UNIX"):
        paths.token_file().unlink(missing_ok=True)
        return _listen_unix(paths.socket_file())
    if hasattr(socket, "AF_UNIX"):
        _remove_stale(paths.socket_file())
    return _listen_tcp(paths.token_file())


def _listen_unix(file: Path) -> Listener:
    if file.parent != paths.home():
        _check_private(file.parent)
    _remove_stale(file)
    opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)
    try:
        opened.bind(os.fspath(file))
    except OSError as error:
        opened.close()
        raise Permanent(
            f"the socket {file} cannot be made: {error.strerror}",
            remedy="set WELLKEPT_TRANSPORT=tcp, or move WELLKEPT_HOME to a local disk",
        ) from None
    finally:
        os.umask(mask)
    opened.listen(BACKLOG)
    return Listener(opened, file)


def _listen_tcp(file: Path) -> Listener:
    opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    opened.bind(("127.0.0.1", 0))
    opened.listen(BACKLOG)
    token = secrets.token_urlsafe(32)
    host, port = opened.getsockname()
    document = json.dumps({"host": host, "port": port, "token": token})
    temporary = file.with_name(f"{file.name}.{os.getpid()}")
    temporary.unlink(missing_ok=True)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        stream.write(document)
    temporary.replace(file)
    return Listener(opened, file, token)


def _check_private(folder: Path) -> None:
    """A shared temporary folder is no place for a socket unless the folder is ours alone."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
    if not ours or (found.st_mode & 0o077 and not os.environ.get("XDG_RUNTIME_DIR")):
        raise Permanent(
            f"the runtime folder {folder} is not private to this user",
            remedy="remove it, or set XDG_RUNTIME_DIR",
        )


def _remove_stale(file: Path) -> None:
    """Remove a socket on which nobody answers; raises `Conflict` when somebody does."""
    try:
        if not stat.S_ISSOCK(file.lstat().st_mode):
            raise Conflict(f"{file} is no socket", remedy="move it away")
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(os.fspath(file))
        except (ConnectionRefusedError, FileNotFoundError):
            file.unlink(missing_ok=True)
            return
        except OSError:
            pass
    raise Conflict(f"another process answers on {file}", remedy="wellkept down ends it")
