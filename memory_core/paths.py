"""Where state lives: everything under `WELLKEPT_HOME`; standard library only.

A Unix socket's path may hold about 100 bytes, so a deep home gets its socket in
the runtime folder under a name made from the home's path.
"""

from __future__ import annotations

import os
from pathlib import Path

SOCKET_BYTES = 100
HOME_VARIABLE = "WELLKEPT_HOME"


def home() -> Path:
    """The folder that holds all state; not created here."""
    named = os.environ.get(HOME_VARIABLE)
    return Path(named).expanduser() if named else Path.home() / ".wellkept"


def ensure_home() -> Path:
    """Create the state folder, readable by its owner only, and return it.

    Raises `SettingsError` where no such folder can be.
    """
    from memory_core.errors import SettingsError

    folder = home()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if folder.stat().st_mode & 0o077:
            folder.chmod(0o700)
    except OSError as error:
        raise SettingsError(
            f"the state folder {folder} cannot be used: {error.strerror}",
            remedy=f"set {HOME_VARIABLE} to a folder you may write",
        ) from None
    return folder


def config_file() -> Path:
    """The settings file (TOML)."""
    return home() / "config.toml"


def database_file() -> Path:
    """The truth: memories, record, proposals, ledger, scores, calibrations."""
    return home() / "wellkept.sqlite"


def cache_file() -> Path:
    """Derived rows (vectors, what a session was shown); may be deleted at any time."""
    return home() / "cache.sqlite"


def socket_file() -> Path:
    """The warm server's Unix socket, short enough for the operating system."""
    near = home() / "server.sock"
    if len(os.fsencode(near)) <= SOCKET_BYTES:
        return near
    import hashlib  # rarely needed here, and a hook pays for every import

    digest = hashlib.sha256(os.fsencode(home().resolve())).hexdigest()[:16]
    return runtime_folder() / f"wellkept-{digest}.sock"


def runtime_folder() -> Path:
    """`XDG_RUNTIME_DIR`, or a folder of this user in the system's temporary folder."""
    named = os.environ.get("XDG_RUNTIME_DIR")
    if named and Path(named).is_dir():
        return Path(named)
    import tempfile  # rarely needed here, and a hook pays for every import

    return Path(tempfile.gettempdir()) / f"wellkept-{os.getuid()}"


def token_file() -> Path:
    """Address and token of the loopback TCP listener, where sockets do not exist."""
    return home() / "server.tcp"


def log_folder() -> Path:
    """Logs of the background processes."""
    return home() / "logs"


def spool_folder() -> Path:
    """Small files that hooks leave for later."""
    return home() / "spool"
