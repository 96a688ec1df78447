"""Every test lives in a state folder of its own and touches nothing else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_core.store.database import Database

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["DO_NOT_TRACK"] = "1"
os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
os.environ["GOMP_SPINCOUNT"] = "0"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`WELLKEPT_HOME` and the user's home, both in the test's temporary folder."""
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    for name in [
        name for name in os.environ if name.startswith(("WELLKEPT_", "CLAUDE", "PREFECT_"))
    ]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("WELLKEPT_HOME", str(folder))
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    return folder


@pytest.fixture
def database(home: Path) -> Iterator[Database]:
    """A real SQLite database on the newest schema."""
    store = Database(f"sqlite:///{home / 'wellkept.sqlite'}")
    yield store
    store.close()
