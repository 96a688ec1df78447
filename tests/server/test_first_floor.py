"""A vault that begins empty gets its floor with its first note."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_core.errors import NotCalibrated
from memory_core.recall.floor import in_force
from memory_core.recall.recall import Models, Recall
from memory_core.server.indexing import NO_NOTE, Indexing
from memory_core.server.jobs import Worker
from memory_core.server.library import Library
from memory_core.settings import load
from memory_core.store.database import Database
from memory_core.vault.vault import Vault


def _until(true: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not true():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_the_floor_is_measured_when_the_first_note_comes(
    tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    monkeypatch.setenv("WELLKEPT_VAULT", str(vault))
    monkeypatch.setenv("WELLKEPT_MEASURE_FLOOR", "true")
    settings, worker = load(), Worker()
    worker.start()
    recall = Recall(settings, Models(None, None, "by words"))
    indexing = Indexing(settings, worker, database)
    indexing.start(Library(Vault(vault)), recall)
    try:
        _until(lambda: indexing.measuring == NO_NOTE)
        with pytest.raises(NotCalibrated):
            in_force(database, recall.judge_id, str(vault))
        text = "---\ndescription: What the harbour crane lifts\n---\n\n- The crane lifts 40 tons.\n"
        (vault / "crane.md").write_text(text, "utf-8")
        _until(lambda: indexing.measuring == "")
        assert in_force(database, recall.judge_id, str(vault)).questions == "general"
    finally:
        indexing.stop()
        worker.stop()
