"""The clearance is measured once a day, kept for good, and said when it is negative."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import select

from memory_core.benchmark import questions
from memory_core.errors import RecallUnavailable
from memory_core.recall import clearance
from memory_core.recall.recall import Models, Recall
from memory_core.recall.source import of_note
from memory_core.server import daily
from memory_core.server.calibrating import Queued, daily_clearance
from memory_core.server.daily import Daily
from memory_core.server.indexing import Indexing
from memory_core.server.jobs import Urgency, Worker
from memory_core.settings import Settings, load
from memory_core.store.database import Database
from memory_core.store.tables import Calibration, ClearanceRow, now
from memory_core.vault.note import Note
from memory_core.vault.passages import split
from memory_core.vault.vault import Vault


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "crane.md").write_text("# Crane\n\n- The harbour crane lifts 40 tons.\n", "utf-8")
    monkeypatch.setenv("WELLKEPT_VAULT", str(vault))
    return load()


@pytest.fixture
def queued(settings: Settings) -> Queued:
    """A recall by words alone, which answers at once, behind a real worker."""
    worker = Worker()
    worker.start()
    recall = Recall(settings, Models(None, None, "by words"))
    assert settings.vault
    _index(recall, Vault(settings.vault).scan().notes)
    return Queued(recall, worker)


def _index(recall: Recall, notes: tuple[Note, ...]) -> None:
    recall.update(of_note(note, tuple(split(note))) for note in notes)


def calibrated(database: Database, settings: Settings, judge: str, days: float) -> None:
    row = Calibration(
        at=now() - timedelta(days=days), judge=judge, vault=str(settings.vault), floor=5.0,
        clearance=1.0, answered=1.0, quiet=1.0, separated=True, questions="general",
        detail={"held": ["general-001"], "best_nonsense_id": "general-002"},
    )  # fmt: skip
    with database.write() as session:
        session.add(row)


def test_it_is_measured_once_a_day_and_a_restart_repeats_nothing(
    queued: Queued, settings: Settings, database: Database
) -> None:
    assert daily_clearance(queued, settings, database) is None  # no floor
    calibrated(database, settings, queued.judge_id, days=0.5)
    assert daily_clearance(queued, settings, database) is None  # the calibration is fresh
    calibrated(database, settings, queued.judge_id, days=1.1)
    row = daily_clearance(queued, settings, database)
    assert row and row.judge == queued.judge_id and row.vault == str(settings.vault)
    assert row.clearance == pytest.approx(5.0 - row.best)
    assert row.questions == len(questions.general().questions) - 1  # without the one left out
    assert daily_clearance(queued, settings, Database(database.url)) is None
    newest = clearance.newest(database, queued.judge_id, str(settings.vault))
    assert newest and newest.value == row.clearance and not newest.calibrated
    assert len(clearance.history(database, str(settings.vault))) == 3


def test_a_vault_that_grew_into_nonsense_has_a_negative_clearance(
    queued: Queued, settings: Settings, database: Database
) -> None:
    asked = questions.general().questions[5]
    text = f"# Answer\n\n- {asked.query}\n"
    assert settings.vault
    (settings.vault / "answer.md").write_text(text, "utf-8")
    _index(queued._recall, Vault(settings.vault).scan().notes)
    calibrated(database, settings, queued.judge_id, days=2)
    row = daily_clearance(queued, settings, database)
    assert row and row.clearance < 0 and row.worst == asked.id
    assert asked.id in clearance.negative(row.clearance, row.worst)


def test_a_new_floor_makes_older_measurements_history(
    queued: Queued, settings: Settings, database: Database
) -> None:
    calibrated(database, settings, queued.judge_id, days=2)
    assert daily_clearance(queued, settings, database)
    calibrated(database, settings, queued.judge_id, days=0)
    newest = clearance.newest(database, queued.judge_id, str(settings.vault))
    assert newest and newest.calibrated and newest.worst == "general-002"
    assert clearance.newest(database, "another judge", str(settings.vault)) is None


def test_a_question_waits_until_nobody_asks_and_a_stop_ends_the_wait(
    settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daily, "QUIET_S", 0.2)
    worker = Worker()
    worker.start()
    measuring = Daily(settings, worker, database, Indexing(settings, worker, database))
    assert worker.quiet_s == float("inf")
    worker.submit(Urgency.PERSON, lambda: None).result()
    measuring._await_quiet()
    assert worker.quiet_s >= 0.2
    monkeypatch.setattr(daily, "QUIET_S", 1e9)
    measuring.stop()
    with pytest.raises(RecallUnavailable):
        measuring._await_quiet()
    with database.read() as session:
        assert session.exec(select(ClearanceRow)).all() == []
