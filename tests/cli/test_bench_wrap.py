"""`wellkept bench wrap`, by words alone so that no model is loaded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from memory_core.cli.app import app
from memory_core.errors import BadInput, NotFound

ROWS = [
    ("user", "the label printer cuts the labels off, please look"),
    ("assistant", "The roll must be set to 62 in `labels.toml`, otherwise labels are cut off."),
    ("user", "great, works"),
]
FACT = {
    "id": "a1-1", "statement": "Set the roll to 62 in labels.toml, else labels are cut off.",
    "evidence": [2], "target": "labels.md",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "set"
    for part in ("vault", "transcripts"):
        (root / part).mkdir(parents=True)
    (root / "vault" / "labels.md").write_text("- The label printer is queue labels, roll 29.\n")
    (root / "vault" / "cat.md").write_text("- The cat gets 40 g of dry food at seven.\n")
    lines = [
        json.dumps({"session": "a1", "turn": n, "role": role, "text": text})
        for n, (role, text) in enumerate(ROWS, 1)
    ]
    (root / "transcripts" / "a1.jsonl").write_text("\n".join(lines), "utf-8")
    wrap = {"a1": {"kind": "fact", "propose": [FACT], "must_not": []}}
    (root / "gold.json").write_text(json.dumps({"wrap": wrap}), "utf-8")
    monkeypatch.setenv("WELLKEPT_EMBEDDER", str(tmp_path / "nowhere"))
    monkeypatch.setenv("WELLKEPT_RERANKER", str(tmp_path / "nowhere"))
    return root


def _run(*arguments: str) -> Result:
    result = CliRunner().invoke(app, ["bench", "wrap", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def _json(*arguments: str) -> Any:
    return json.loads(_run(*arguments, "--json").stdout)


def test_sessions_are_drafted_and_scored(folder: Path) -> None:
    told = _json("--gold", str(folder / "gold.json"))
    assert (told["found"], told["facts"], told["items"]) == (1, 1, 1)
    assert (told["recall"], told["precision"], told["missed"]) == (1.0, 1.0, [])


def test_show_prints_every_item_and_pair(folder: Path) -> None:
    told = _run("--gold", str(folder / "gold.json"), "--show").stdout
    assert "labels.md  - The roll must be set to 62" in told
    assert "a1-1: 0.8" in told
    pairs = _json("--gold", str(folder / "gold.json"), "--show")["pairs"]
    assert [(pair["against"], pair["counts"]) for pair in pairs] == [("a1-1", True)]


def test_a_vault_of_the_settings_goes_before_the_one_beside_the_gold(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = folder / "other"
    other.mkdir()
    (other / "cat.md").write_text("- The cat gets 40 g of dry food at seven.\n")
    monkeypatch.setenv("WELLKEPT_VAULT", str(other))
    gold = str(folder / "gold.json")
    assert _json("--gold", gold)["found"] == 0
    assert _json("--gold", gold, "--vault", str(folder / "vault"))["found"] == 1


def test_a_tape_that_is_not_there_is_named(folder: Path) -> None:
    with pytest.raises(NotFound, match=r"none\.tape"):
        _run("--gold", str(folder / "gold.json"), "--replay", str(folder / "none.tape"))


def test_what_is_missing_is_named(folder: Path) -> None:
    with pytest.raises(NotFound, match="nowhere"):
        _run("--gold", str(folder / "nowhere.json"))
    with pytest.raises(NotFound, match=r"a1\.jsonl"):
        _run("--gold", str(folder / "gold.json"), "--transcripts", str(folder / "vault"))
    (folder / "gold.json").write_text("{}", "utf-8")
    with pytest.raises(BadInput, match="does not hold"):
        _run("--gold", str(folder / "gold.json"))
