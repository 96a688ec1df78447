"""The bench and calibrate commands, in words-only recall so that no model is loaded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from memory_core.cli.app import app
from memory_core.errors import BadInput, NotFound, SettingsError


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "vault"
    root.mkdir()
    (root / "ports.md").write_text("- Postgres listens on 5433.\n- Redis listens on 6380.\n")
    (root / "cat.md").write_text("- The cat gets 40 g of dry food at seven.\n")
    monkeypatch.setenv("WELLKEPT_VAULT", str(root))
    monkeypatch.setenv("WELLKEPT_EMBEDDER", str(tmp_path / "nowhere"))
    monkeypatch.setenv("WELLKEPT_RERANKER", str(tmp_path / "nowhere"))
    return root


def _run(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


def _json(*arguments: str, code: int = 0) -> Any:
    return json.loads(_run(*arguments, "--json", code=code).stdout)


def _add_some() -> None:
    _run("bench", "add", "which port is Postgres on", "--note", "ports.md", "--point", "5433")
    _run("bench", "add", "dry food for the cat", "--note", "cat.md", "--kind", "prompt")
    _run("bench", "add", "How deep do whales dive?")


def test_a_set_is_made_checked_calibrated_run_listed_and_compared(vault: Path) -> None:
    _add_some()
    assert _json("bench", "check") == {"set": "working", "questions": 3, "problems": []}

    uncalibrated = _run("bench", "run")
    assert "scored without a floor" in uncalibrated.stderr
    assert "hit@3       1.000" in uncalibrated.stdout

    floor = _json("calibrate")
    assert (floor["questions"], floor["answerable"]) == ("benchmark", 2)
    assert floor["judge"].startswith("words-only")

    scores = _json("bench", "run", "--set", "working")
    assert scores["hit@3"] == 1.0
    assert (scores["floor"], scores["quiet"], scores["skipped"]) == (floor["floor"], 1.0, 0)

    assert [run["id"] for run in _json("bench", "list")] == [2, 1]
    assert "floor: None ->" in _run("bench", "compare").stdout
    assert _json("bench", "compare", "1", "2")["changed"]["floor"] == [None, floor["floor"]]


def test_check_fails_when_a_question_no_longer_fits(vault: Path) -> None:
    _add_some()
    (vault / "ports.md").write_text("- Postgres listens on 5432.\n")
    with (vault / ".wellkept/benchmark/working.jsonl").open("a") as file:
        file.write("{broken\n")
    result = _run("bench", "check", code=1)
    assert "its answering point no longer stands in ports.md" in result.stdout
    assert "working.jsonl line 4" in result.stdout


def test_a_vault_without_a_set_is_calibrated_on_general_questions(vault: Path) -> None:
    result = _run("calibrate")
    assert "no question set" in result.stderr
    assert "general questions only" in result.stdout
    assert _json("calibrate", "--quiet", "0.9")["wanted_quiet"] == 0.9


def test_errors_say_what_to_do(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotFound, match="bench add makes one"):
        _run("bench", "run", "--set", "heldout")
    with pytest.raises(BadInput, match="working or heldout"):
        _run("bench", "run", "--set", "other")
    with pytest.raises(NotFound, match="needs two"):
        _run("bench", "compare")
    assert "no run yet" in _run("bench", "list").stdout
    monkeypatch.delenv("WELLKEPT_VAULT")
    with pytest.raises(SettingsError, match="wellkept init"):
        _run("calibrate")
