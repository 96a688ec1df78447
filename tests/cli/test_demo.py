"""The demo is a vault like any other, and a recorded session ends as a real one does."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from memory_core.cli import demo
from memory_core.errors import NotFound
from memory_core.record import capture, sessions
from memory_core.settings import load
from memory_core.store.database import Database


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_the_demo_vault_is_a_clean_repository_of_one_commit() -> None:
    vault = demo._vault()
    assert git(vault, "log", "--format=%an: %s") == "Wellkept demo: Begin the vault\n"
    assert git(vault, "status", "--porcelain") == ""
    assert (vault / ".wellkept/benchmark/working.jsonl").is_file()


def test_a_demo_vault_that_is_there_is_left_alone() -> None:
    (demo._vault() / "mine.md").write_text("- mine\n")
    assert (demo._vault() / "mine.md").read_text() == "- mine\n"


def test_without_git_it_is_a_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    vault = demo._vault()
    assert (vault / "MEMORY.md").is_file() and not (vault / ".git").exists()


def test_a_recorded_session_ends_and_is_recorded_and_asks_for_a_wrap(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "OFFERED_S", 0)
    transcript = demo._transcript("s01")
    demo._end(transcript)
    database = Database(load().resolved_database_url)
    capture.drain_session(database, load().user, "s01")
    with database.read() as session:
        held = sessions.named(session, "s01")
    assert (
        held.turns == transcript.read_text().count('"role": "user"')
        and held.reason == "demo"
        and held.ended_at
    )
    told = capsys.readouterr().out
    assert "s01 has ended" in told and "wellkept up" in told


def test_a_session_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(NotFound, match="no session 'x99'") as refused:
        demo._transcript("x99")
    assert "s01, s02" in str(refused.value)
