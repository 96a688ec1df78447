"""`wellkept bench dream`, by words alone so that no model is loaded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memory_core.cli.app import app
from memory_core.errors import BadInput, NotFound

NOTE = "---\nkey: bread\nupdated: 2026-06-01\n---\n\n- Proof the rye loaves 45 minutes.\n"
SAID = "we proof the rye loaves 60 minutes instead of 45 from now on"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "set"
    for part in ("vault", "sessions"):
        (root / part).mkdir(parents=True)
    (root / "vault" / "bread.md").write_text(NOTE, "utf-8")
    row = {"session": "a1", "turn": 1, "ts": "2026-10-01T08:00:00Z", "role": "user", "text": SAID}
    (root / "sessions" / "a1.jsonl").write_text(json.dumps(row), "utf-8")
    stale = [{"note": "bread.md", "contradicted_by": [{"session": "a1"}]}]
    gold = {"procedures": [], "stale_notes": stale, "duplicates": [], "not_duplicates": []}
    (root / "gold.json").write_text(json.dumps({"dream": gold}), "utf-8")
    monkeypatch.setenv("WELLKEPT_EMBEDDER", str(tmp_path / "nowhere"))
    monkeypatch.setenv("WELLKEPT_RERANKER", str(tmp_path / "nowhere"))
    return root


def _run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["bench", "dream", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_all_sessions_are_dreamed_over_and_scored(folder: Path) -> None:
    told = json.loads(_run("--gold", str(folder / "gold.json"), "--json", "--show"))
    assert told["stale_notes"] == {
        "right": 1, "precision": 1.0, "recall": 1.0, "wrong": [], "missed": [],
    }  # fmt: skip
    (item,) = told["drafted"]
    assert (item["target"], item["evidence"][0]["quote"]) == ("bread.md", SAID)


def test_the_figures_are_printed_with_the_items_where_asked(folder: Path) -> None:
    told = _run("--gold", str(folder / "gold.json"), "--show")
    assert "stale notes    1 right  precision 1.000  recall 1.000" in told
    assert f"> a1 1 user: {SAID}" in told


@pytest.mark.parametrize(("part", "error"), [("gold.json", BadInput), ("sessions", NotFound)])
def test_a_set_that_does_not_hold_is_refused(folder: Path, part: str, error: type) -> None:
    gold = folder / "gold.json"
    if part == "gold.json":
        gold.write_text('{"wrap": {}}', "utf-8")
    else:
        (folder / "sessions" / "a1.jsonl").unlink()
    with pytest.raises(error):
        _run("--gold", str(gold))
