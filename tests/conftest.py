"""Every test lives in a state folder of its own and touches nothing else."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memory_core.errors import ServerUnavailable
from memory_core.settings import load
from memory_core.store.database import Database
from tests import stores
from tests.warm import ASKED, NONSENSE, Warm, calibrate

if TYPE_CHECKING:
    from memory_core.recall.recall import Models

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["DO_NOT_TRACK"] = "1"
os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
os.environ["GOMP_SPINCOUNT"] = "0"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of a file, and all tests of the flows, share what they start: one worker runs them."""
    flows = Path(__file__).parent / "flows"
    for item in items:
        together = flows if flows in item.path.parents else item.path
        item.add_marker(pytest.mark.xdist_group(str(together.relative_to(flows.parent))))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """`WELLKEPT_HOME` and the user's home, both in the test's temporary folder.

    On PostgreSQL `WELLKEPT_DATABASE_URL` names a database that is the test's own.
    """
    os.umask(0o022)  # what runs in this process may have narrowed it
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    for name in [
        name for name in os.environ if name.startswith(("WELLKEPT_", "CLAUDE", "PREFECT_"))
    ]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("WELLKEPT_HOME", str(folder))
    monkeypatch.setenv("WELLKEPT_MEASURE_FLOOR", "false")  # a minute that tests do not have
    monkeypatch.setenv("WELLKEPT_ROUTINES", "false")  # Prefect starts where a test asks for it
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    if stores.ON_POSTGRES:
        monkeypatch.setenv("WELLKEPT_DATABASE_URL", stores.fresh(folder))
    yield folder
    stores.give_back()


@pytest.fixture
def database(home: Path) -> Iterator[Database]:
    """The real database that the settings name, on the newest schema."""
    store = Database(load().resolved_database_url)
    yield store
    store.close()


@pytest.fixture(scope="session")
def recall_models(tmp_path_factory: pytest.TempPathFactory) -> Models:
    """The shipped embedder and re-ranker, loaded once for all tests."""
    from memory_core.recall.recall import Models
    from memory_core.settings import Settings

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WELLKEPT_HOME", str(tmp_path_factory.mktemp("models")))
        models = Models.load(Settings())
    assert not models.problem
    return models


@pytest.fixture(scope="session")
def warm_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warm]:
    """Start one server for all tests that need warm models; its floor lies in the gap."""
    folder = tmp_path_factory.mktemp("warm")
    home, vault = folder / "home", folder / "vault"
    home.mkdir(mode=0o700)
    vault.mkdir()
    for note in sorted((Path(__file__).parents[1] / "demo" / "vault").glob("*.md")):
        if note.name.startswith(("k8s-", "pg-", "home-", "MEMORY")):
            shutil.copy(note, vault)
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("WELLKEPT_")]:
            patch.delenv(name)
        patch.setenv("WELLKEPT_HOME", str(home))
        patch.setenv("WELLKEPT_VAULT", str(vault))
        patch.setenv("WELLKEPT_MEASURE_FLOOR", "false")
        patch.setenv("XDG_RUNTIME_DIR", str(folder))
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-I", "-m", "memory_core", "serve"], stdout=log, stderr=log
            )
        warm = Warm(home, vault, process)
        try:
            _until_ready(warm, folder / "log")
            _set_floor(warm)
            yield warm
        finally:
            process.terminate()
            assert process.wait(20) == 0


@pytest.fixture
def warm(warm_server: Warm, monkeypatch: pytest.MonkeyPatch) -> Warm:
    """The warm server, with the environment pointing at it and a patient deadline."""
    monkeypatch.setenv("WELLKEPT_HOME", str(warm_server.home))
    monkeypatch.setenv("WELLKEPT_VAULT", str(warm_server.vault))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(warm_server.home.parent))
    monkeypatch.setenv("WELLKEPT_DEADLINE_MS", "10000")
    return warm_server


def _until_ready(warm: Warm, log: Path) -> None:
    for _ in range(1000):
        assert warm.process.poll() is None, log.read_text("utf-8")
        with contextlib.suppress(ServerUnavailable):
            health = warm.call("/health")
            assert health["status"] != "failed", health
            if health["status"] == "ready" and not health["building"]:
                return
        time.sleep(0.1)
    raise AssertionError(log.read_text("utf-8"))


def _set_floor(warm: Warm) -> None:
    """Measure a floor half-way between a request with an answer and one without."""
    database = Database(f"sqlite:///{warm.home / 'wellkept.sqlite'}")
    calibrate(database, warm.call("/index"), -1e9)

    def best(query: str) -> float:
        notes = warm.call("/recall", {"query": query, "deadline_ms": 60_000})["notes"]
        return float(notes[0]["score"])

    answered, nonsense = best(ASKED), best(NONSENSE)
    assert answered > nonsense
    calibrate(database, warm.call("/index"), (answered + nonsense) / 2)
    database.close()
