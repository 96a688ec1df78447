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

SET = ".wellkept/benchmark/working.jsonl"


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
    whole = {"set": "working", "questions": 3, "skipped": 0, "problems": []}
    assert _json("bench", "check") == whole

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
    assert _json("bench", "list")[0]["changed"] == {"floor": [None, floor["floor"]]}
    assert "(floor)" in _run("bench", "list").stdout
    compared = _run("bench", "compare").stdout
    assert "floor: None ->" in compared and "no more than noise" in compared
    assert "the held-out set was never asked" in compared
    assert _json("bench", "compare", "1", "2")["changed"]["floor"] == [None, floor["floor"]]


def test_check_fails_when_a_question_no_longer_fits(vault: Path) -> None:
    _add_some()
    (vault / "ports.md").write_text("- Postgres listens on 5432.\n")
    with (vault / SET).open("a") as file:
        file.write("{broken\n")
    result = _run("bench", "check", code=1)
    assert "its answering point no longer stands in ports.md" in result.stdout
    assert "working.jsonl line 4" in result.stdout
    assert _json("bench", "check", code=1)["skipped"] == 1
    ran = _run("bench", "run")
    assert "skipped: working.jsonl line 4" in ran.stderr
    assert "1 lines skipped" in ran.stdout


def test_missed_questions_are_listed_with_reason_and_what_stood_above(vault: Path) -> None:
    _add_some()
    _run("bench", "add", "dry food", "--note", "ports.md", "--tests", "a note that is not right")
    (vault / "gone.md").write_text("- Nobody knows.\n")
    _run("bench", "add", "nobody knows", "--note", "gone.md")
    (vault / "gone.md").unlink()
    told = _run("bench", "run", "--missed").stdout
    assert "missed: 2" in told
    assert "not in the vault      1  the note, or the point that answers, is not there" in told
    assert "w005     not in the vault: nobody knows" in told
    assert "ports.md (not in the pool); above: cat.md" in told
    document = _json("bench", "run", "--missed")
    assert [row["lost"] for row in document["missed"]] == ["in no leg", "not in the vault"]
    assert document["lost"]["in no leg"] == 1
    assert document["since"]["run"] == 1 and document["since"]["changed"] == {}
    assert document["trend"]["verdict"] == "unknown"


def test_the_working_questions_are_shown_with_what_they_test(vault: Path) -> None:
    _run("bench", "add", "which port", "--note", "ports.md", "--tests", "a  plain question")
    assert '"tests": "a plain question"' in (vault / SET).read_text("utf-8")
    told = _run("bench", "list", "--questions").stdout
    assert "ports.md  tests: a plain question" in told
    assert _json("bench", "list", "--questions")["questions"][0]["tests"] == "a plain question"
    with pytest.raises(BadInput, match="`tests` is 300 characters, the cap is 200"):
        _run("bench", "add", "which port", "--note", "ports.md", "--tests", "x" * 300)


def test_both_sets_are_run_together(vault: Path) -> None:
    _add_some()
    (vault / SET).with_name("heldout.jsonl").write_text('{"id": "h1", "query": "a whale"}\n')
    document = _json("bench", "run", "--set", "both")
    assert (document["set"], document["heldout"]["set"]) == ("working", "heldout")
    assert document["heldout"]["questions"] == 1
    assert (
        "no question has an answer: only quiet is measured"
        in _run("bench", "run", "--set", "both").stdout
    )


def test_an_empty_vault_no_question_and_only_nonsense_say_what_they_are(vault: Path) -> None:
    with pytest.raises(NotFound, match="no question set"):
        _run("bench", "run")
    (vault / SET).parent.mkdir(parents=True)
    (vault / SET).write_text("")
    with pytest.raises(NotFound, match="the working set has no question yet"):
        _run("bench", "run")
    (vault / SET).write_text("{broken\n")
    with pytest.raises(NotFound, match="none of the 1 lines of the working set can be read"):
        _run("bench", "run")
    (vault / SET).write_text("")
    _run("bench", "add", "How deep do whales dive?")
    only = _run("bench", "run").stdout
    assert "no question has an answer: only quiet is measured" in only
    assert _json("calibrate")["questions"] == "general"
    _run("bench", "run")
    assert "share no question that a note answers" in _run("bench", "compare").stdout
    for note in vault.glob("*.md"):
        note.unlink()
    assert "the vault has no note yet" in _run("bench", "run").stderr
    with pytest.raises(NotFound, match="no note yet"):
        _run("calibrate")


def test_a_vault_without_a_set_is_calibrated_on_general_questions(vault: Path) -> None:
    result = _run("calibrate")
    assert "no question set" in result.stderr
    assert "general questions only" in result.stdout
    assert _json("calibrate", "--quiet", "0.9")["wanted_quiet"] == 0.9


def test_errors_say_what_to_do(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotFound, match="bench add makes one"):
        _run("bench", "run", "--set", "heldout")
    with pytest.raises(BadInput, match="working, heldout or both"):
        _run("bench", "run", "--set", "other")
    with pytest.raises(NotFound, match="needs two"):
        _run("bench", "compare")
    assert "no run yet" in _run("bench", "list").stdout
    monkeypatch.delenv("WELLKEPT_VAULT")
    with pytest.raises(SettingsError, match="wellkept init"):
        _run("calibrate")
