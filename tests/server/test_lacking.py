"""A server that lacks something goes on with the rest, and every answer says what it lacks."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_core.errors import RecallUnavailable
from memory_core.server.client import Client
from memory_core.store.database import Database
from tests.warm import calibrate

NOTE = "---\nkey: crane\ndescription: The harbour crane\n---\n\n- The crane lifts 40 tons.\n"


@pytest.fixture
def lacking(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    """A server without a model on disk and with a damaged cache."""
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "crane.md").write_text(NOTE, "utf-8")
    (home / "cache.sqlite").write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000)
    monkeypatch.setenv("WELLKEPT_VAULT", str(vault))
    monkeypatch.setenv("WELLKEPT_EMBEDDER", str(tmp_path / "no-model-here"))
    command = [sys.executable, "-I", "-m", "memory_core", "serve"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    client = Client(60)
    try:
        while not (home / "server.sock").exists() or client.call("/health")["building"]:
            assert process.poll() is None
            time.sleep(0.1)
        yield client
    finally:
        process.terminate()
        assert process.wait(20) == 0


def test_without_a_model_words_alone_answer_and_the_missing_file_is_named(
    lacking: Client, home: Path
) -> None:
    health, index = lacking.call("/health"), lacking.call("/index")
    assert health["status"] == "ready"
    assert "no-model-here" in health["reason"] and "setting embedder" in health["reason"]
    assert index["notes"] == 1 and index["judge"].startswith("words-only")
    database = Database(f"sqlite:///{home / 'wellkept.sqlite'}")
    calibrate(database, index, 0.0)
    database.close()
    answer = lacking.call("/recall", {"query": "what does the crane lift?", "session": "s"})
    assert [note["source"] for note in answer["notes"]] == ["crane.md"]
    assert answer["notice"].startswith("words only: ")
    with pytest.raises(RecallUnavailable, match="no-model-here"):
        lacking.call("/embed", {"texts": ["x"]})
    started = lacking.call("/session-start", {"source": "startup"})
    assert "no-model-here" in started["notices"][0]
    assert list(home.glob("cache.sqlite.damaged-*"))
