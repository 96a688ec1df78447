"""The page about the benchmark: its commands run as they stand, in order, by words alone."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memory_core.benchmark.lost import REASONS
from memory_core.cli.app import app
from memory_core.cli.review import permission

PAGE = (Path(__file__).parents[1] / "docs" / "benchmark.md").read_text("utf-8")


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "vault"
    root.mkdir()
    (root / "git-rules.md").write_text("- Never force-push to main; nobody rewrites history.\n")
    (root / "onboarding.md").write_text("- New people start with the handbook.\n")
    monkeypatch.setenv("WELLKEPT_VAULT", str(root))
    monkeypatch.setenv("WELLKEPT_EMBEDDER", str(tmp_path / "nowhere"))
    monkeypatch.setenv("WELLKEPT_RERANKER", str(tmp_path / "nowhere"))
    monkeypatch.setattr(permission, "need_a_person", lambda *_: None)  # tests/cli asks for one
    return root


def test_the_page_s_commands_do_what_it_says(vault: Path) -> None:
    said = []
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL):
        for line in block.splitlines():
            words = shlex.split(line.removeprefix("$ wellkept "))
            result = CliRunner().invoke(app, words, catch_exceptions=False)
            assert result.exit_code == 0, (line, result.output)
            said.append(result.stdout)
    assert "0 problems" in said[3] and said[-1].count("\nrun") + 1 == 2
    assert (vault / ".wellkept/benchmark/heldout.jsonl").read_text().count("\n") == 1


def test_the_page_names_every_reason_and_verdict() -> None:
    for reason in REASONS:
        assert f"| {reason} |" in PAGE
    for verdict in ("improvement", "**warning**", "unsure", "fall", "steady", "unknown"):
        assert f"| {verdict} |" in PAGE
