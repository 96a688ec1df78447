"""The pages for harness authors: their examples run as they stand."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import text

from memory_core.banks.memory import Tag
from memory_core.banks.ontology import load_ontology
from memory_core.banks.schema import NAMES
from memory_core.store.database import Database

ROOT = Path(__file__).parents[1]
STUB = ROOT / "tests" / "data" / "clients" / "stub_openai_gemini.py"
FACT = {"key": "Deploy Day", "description": "We deploy on Tuesdays", "content": "At 10:00.",
        "refs": [{"type": "item", "id": "42"}]}  # fmt: skip


def _block(page: str, language: str) -> str:
    written = (ROOT / "docs" / page).read_text("utf-8")
    found = re.search(rf"```{language}\n(.*?)```", written, re.DOTALL)
    assert found
    return found[1]


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A stub of an LLM; the file logs its requests."""
    written, port = tmp_path / "llm.jsonl", tmp_path / "port"
    process = subprocess.Popen(
        [sys.executable, str(STUB), "--log", str(written), "--port-file", str(port)],
        stdout=subprocess.DEVNULL,
    )
    while not (port.exists() and port.read_text()):
        time.sleep(0.05)
    monkeypatch.setenv("LLM_URL", f"http://127.0.0.1:{port.read_text()}/v1")
    yield written
    process.terminate()
    process.wait(10)


def _turn(tmp_path: Path, prompt: str) -> subprocess.CompletedProcess[str]:
    script = tmp_path / "turn.py"
    script.write_text(_block("harness.md", "python"), "utf-8")
    return subprocess.run(
        [sys.executable, str(script), prompt], capture_output=True, text=True, timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def _requests(log: Path) -> list[dict[str, Any]]:
    lines = log.read_text("utf-8").splitlines() if log.exists() else []
    return [json.loads(line)["body"] for line in lines]


def test_the_example_wakes_up_with_its_memory_and_uses_the_tools(log: Path, tmp_path: Path) -> None:
    saved = _turn(tmp_path, f"note [[tool:remember {json.dumps(FACT)}]] [[reply:noted]]")
    assert saved.stdout == "noted\n", saved.stderr
    first, second = _requests(log)
    assert [tool["function"]["name"] for tool in first["tools"]] == list(NAMES)
    assert "No memory applies here yet." in first["messages"][0]["content"]
    assert json.loads(second["messages"][-1]["content"])["ok"] is True
    _turn(tmp_path, "which day? [[reply:Tuesday]]")
    woken = _requests(log)[2]["messages"][0]["content"]
    assert '{"key": "deploy-day", "description": "We deploy on Tuesdays"}' in woken


def test_a_turn_without_its_digest_fails_before_the_model_is_asked(
    log: Path, tmp_path: Path, home: Path
) -> None:
    with Database(f"sqlite:///{home / 'wellkept.sqlite'}").write() as session:
        session.connection().execute(text("ALTER TABLE memory RENAME TO lost"))
    failed = _turn(tmp_path, "hello [[reply:hi]]")
    assert failed.returncode != 0
    assert "DigestUnavailable" in failed.stderr
    assert _requests(log) == []


def test_the_example_is_short() -> None:
    lines = [line for line in _block("harness.md", "python").splitlines() if line.strip()]
    assert len(lines) <= 34


def test_the_ontology_page_shows_a_sound_file(tmp_path: Path) -> None:
    file = tmp_path / "ontology.toml"
    file.write_text(_block("ontology.md", "toml"), "utf-8")
    ontology = load_ontology(file)
    reach = ontology.reach([Tag("entity", "invoice")])
    assert {Tag("domain", "finance"), Tag("relationship", "customer-pays-invoice")} <= reach
