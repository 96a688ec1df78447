"""One real Prefect server for all tests of the flows; each test has its own store and vault."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from deployments import orchestrator
from memory_core.errors import ServerUnavailable
from memory_core.server.client import Client
from memory_core.settings import Settings, load
from memory_core.store.database import Database
from tests.flows.desk import Desk


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test may wait for Prefect and for the warm server to start."""
    for item in items:
        if Path(__file__).parent in item.path.parents and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(300))


@pytest.fixture(scope="session")
def prefect_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The variables that lead to a running server, also set in this process."""
    folder = tmp_path_factory.mktemp("prefect")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    own = {"WELLKEPT_HOME": str(folder), "WELLKEPT_PREFECT_PORT": str(port)}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in own.items():
            patch.setenv(name, value)
        settings = load()
        orchestrator.prepare(settings)
        environment = orchestrator.environment(settings)
        command = orchestrator.command(settings)
    environment |= {"PREFECT_LOGGING_LEVEL": "ERROR", "PREFECT_LOGGING_TO_API_ENABLED": "false"}
    environment["WELLKEPT_PREFECT_URL"] = environment["PREFECT_API_URL"]
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(command, env=os.environ | environment, stdout=log, stderr=log)
    try:
        _await(environment["PREFECT_API_URL"], server, folder / "server.log")
        os.environ.update(environment)
        _see(environment)
        yield environment
    finally:
        server.terminate()
        server.wait(20)
        for name in environment:
            os.environ.pop(name, None)


def _await(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + 120
    while not orchestrator.answers(Settings(prefect_url=url)):
        assert server.poll() is None and time.monotonic() < until, log.read_text()[-2000:]
        time.sleep(0.2)


def _see(environment: dict[str, str]) -> None:
    """Prefect reads its settings once, when it is first imported."""
    from prefect.context import refresh_global_settings_context
    from prefect.settings import get_current_settings

    refresh_global_settings_context()
    assert get_current_settings().api.url == environment["PREFECT_API_URL"]


@pytest.fixture
def desk(
    prefect_environment: dict[str, str],
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    database: Database,
) -> Desk:
    """A vault in a git repository, a store, and Prefect."""
    for name, value in prefect_environment.items():
        monkeypatch.setenv(name, value)
    vault = tmp_path / "vault"
    vault.mkdir()
    monkeypatch.setenv("WELLKEPT_VAULT", str(vault))
    return Desk.laid(vault, database)


@pytest.fixture(scope="session")
def kept(
    prefect_environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[dict[str, str], Desk]]:
    """A desk with a warm server, and the variables that lead to it."""
    folder = tmp_path_factory.mktemp("wrap")
    (folder / "vault").mkdir()
    own = prefect_environment | {
        "WELLKEPT_HOME": str(folder / "home"),
        "WELLKEPT_VAULT": str(folder / "vault"),
        "WELLKEPT_MEASURE_FLOOR": "false",
        "XDG_RUNTIME_DIR": str(folder),
    }
    desk = Desk.laid(folder / "vault", Database(f"sqlite:///{folder / 'home' / 'wellkept.sqlite'}"))
    command = [sys.executable, "-I", "-m", "memory_core", "serve"]
    with (folder / "log").open("wb") as log, pytest.MonkeyPatch.context() as patch:
        server = subprocess.Popen(command, env=os.environ | own, stdout=log, stderr=log)
        for name, value in own.items():
            patch.setenv(name, value)
        _await_server(server, folder / "log")
    yield own, desk
    server.terminate()
    server.wait(20)


def _await_server(server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        assert server.poll() is None, log.read_text()
        with suppress(ServerUnavailable):
            health = Client(5).call("/health")
            if health["status"] == "ready" and not health["building"]:
                return
        time.sleep(0.2)
    raise AssertionError(log.read_text())


@pytest.fixture
def served(kept: tuple[dict[str, str], Desk], monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The desk beside a warm server, which tests share, seen from this test's environment."""
    environment, desk = kept
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return desk
