"""The held-out set on the command line: a person adds and checks, everyone sees scores alone."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.cli.person import WELLKEPT, Hire, environment

ASKED = "which port did the qzwhale take"
SET = ".wellkept/benchmark/heldout.jsonl"


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "vault"
    root.mkdir()
    (root / "ports.md").write_text("- Postgres listens on port 5433.\n")
    monkeypatch.setenv("WELLKEPT_VAULT", str(root))
    monkeypatch.setenv("WELLKEPT_EMBEDDER", str(tmp_path / "nowhere"))
    monkeypatch.setenv("WELLKEPT_RERANKER", str(tmp_path / "nowhere"))
    return root


def _piped(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*WELLKEPT, "bench", *arguments], capture_output=True, text=True, timeout=100,
        stdin=subprocess.DEVNULL, env={**environment({}), **env}, check=False,
    )  # fmt: skip


def test_a_person_adds_checks_and_runs_without_seeing_a_question(vault: Path, person: Hire) -> None:
    ada = person("bench", "add", ASKED, "--note", "ports.md", "--set", "heldout")
    assert ada.ended(90) == 0, ada.said
    assert "h001 added to the heldout set" in ada.said
    assert ASKED in (vault / SET).read_text("utf-8")
    ada = person("bench", "check", "--set", "heldout", "--json")
    assert ada.ended(90) == 0 and '"questions": 1' in ada.said
    assert "qzwhale" not in ada.said
    ran = _piped("run", "--set", "heldout", CLAUDECODE="1")
    assert ran.returncode == 0 and "1 questions of the heldout set" in ran.stdout
    assert "qzwhale" not in ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("arguments", "marks", "said"),
    [
        (("add", ASKED, "--set", "heldout"), {"AI_AGENT": "x"}, "an agent cannot touch"),
        (("check", "--set", "heldout"), {"CLAUDECODE": "1"}, "an agent cannot touch"),
        (("check", "--set", "heldout"), {}, "are added and checked on a terminal"),
        (("list", "--questions", "--set", "heldout"), {}, "opened by its scorer alone"),
        (("run", "--set", "heldout", "--missed"), {}, "what is looked at is tuned for"),
    ],
)  # fmt: skip
def test_everyone_else_is_refused(
    vault: Path, arguments: tuple[str, ...], marks: dict[str, str], said: str
) -> None:
    refused = _piped(*arguments, **marks)
    assert refused.returncode == 1 and not refused.stdout
    assert said in refused.stderr and refused.stderr.count("\n") == 1
    assert not (vault / SET).exists()
    assert [file.name for file in vault.iterdir()] == ["ports.md"]
