"""The Prefect server of this state folder: where it is, how it is started, whether it answers.

It listens on loopback alone, keeps its state under `WELLKEPT_HOME/prefect`, sends nothing
anywhere, and takes calls from no other web page than its own.
"""

from __future__ import annotations

import contextlib
import http.client
import socket
import sys
from pathlib import Path
from urllib.parse import urlsplit

from memory_core import paths
from memory_core.errors import SettingsError
from memory_core.settings import Settings

HOST = "127.0.0.1"
PORT = 4217
_HIGHEST = 65_535  # a port's number


def folder() -> Path:
    """Where Prefect keeps its state."""
    return paths.home() / "prefect"


def port(settings: Settings) -> int:
    """The port in use: the setting, else the one chosen at the last start."""
    if settings.prefect_port:
        return settings.prefect_port
    with contextlib.suppress(OSError, ValueError):
        kept = int((folder() / "port").read_text("ascii"))
        if 0 < kept <= _HIGHEST:
            return kept
    return PORT


def prepare(settings: Settings) -> int:
    """Make the folder and settle the port before a start: the last one, 4217, or any free one.

    Raises `SettingsError` when the setting names a port that another program holds.
    """
    folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    if settings.prefect_port:
        if not _is_free(settings.prefect_port):
            raise SettingsError(
                f"port {settings.prefect_port} of prefect_port is in use",
                remedy="name another, or 0 for any that is free",
            )
        return settings.prefect_port
    wanted = next((number for number in (port(settings), PORT, 0) if _is_free(number)), 0)
    chosen = wanted or _free()
    (folder() / "port").write_text(str(chosen), "ascii")
    return chosen


def api_url(settings: Settings) -> str:
    """The API that flows and commands talk to."""
    return settings.prefect_url.rstrip("/") or f"http://{HOST}:{port(settings)}/api"


def ui_url(settings: Settings) -> str:
    """Where a person looks at the routines."""
    return api_url(settings).removesuffix("/api")


def command(settings: Settings) -> list[str]:
    """Start the server in the foreground."""
    program = [sys.executable, "-I", "-m", "prefect", "server", "start"]
    return [*program, "--host", HOST, "--port", str(port(settings))]


def environment(settings: Settings) -> dict[str, str]:
    """What the server and everything that talks to it must see; the user's own profile is unread.

    A runner looks for approved runs once a second, so that a person does not wait.
    """
    own = {
        "PREFECT_HOME": str(folder().absolute()),
        "PREFECT_PROFILES_PATH": str((folder() / "profiles.toml").absolute()),
        "PREFECT_API_URL": api_url(settings),
        "PREFECT_UI_URL": ui_url(settings),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_CLOUD_ENABLE_ORCHESTRATION_TELEMETRY": "false",
        "PREFECT_TELEMETRY_ENABLE_RESOURCE_METRICS": "false",
        "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
        "DO_NOT_TRACK": "1",
        "PREFECT_RUNNER_POLL_FREQUENCY": "1",
        "PREFECT_WORKER_QUERY_SECONDS": "1",
        "PREFECT_CLIENT_MAX_RETRIES": "10",  # a busy SQLite answers 503
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "HF_HUB_OFFLINE": "1",
    }
    if not settings.prefect_url:
        own["PREFECT_SERVER_CORS_ALLOWED_ORIGINS"] = ui_url(settings)
    return own


def answers(settings: Settings, timeout_s: float = 2.0) -> bool:
    """Whether a Prefect server answers at the address; never raises."""
    url = urlsplit(api_url(settings))
    secure = url.scheme == "https"
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    connection = kind(url.hostname or HOST, url.port, timeout=timeout_s)
    try:
        connection.request("GET", f"{url.path}/health")
        answer = connection.getresponse()
        return answer.status == 200 and answer.read().strip() == b"true"
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _is_free(number: int) -> bool:
    if not number:
        return True
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, number))
        except OSError:
            return False
        return True


def _free() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        number: int = probe.getsockname()[1]
        return number
