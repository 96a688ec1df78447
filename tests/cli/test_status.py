"""`wellkept status` makes a round trip and says what is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from memory_core.banks.banks import open_banks
from memory_core.server import client
from memory_core.settings import load
from memory_core.store.database import Database
from tests.routines.crowded import BANK, fill
from tests.warm import Warm


def status(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", "-m", "memory_core", "status", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_without_a_server_it_says_so_and_ends_with_3(home: Path) -> None:
    plain, document = status(), status("--json")
    assert plain.returncode == document.returncode == 3
    assert f"unavailable: {client.NOT_RUNNING}" in plain.stdout
    assert f"DOWN         {client.NOT_RUNNING} -> start it: wellkept up" in plain.stdout
    shown = json.loads(document.stdout)
    assert not plain.stderr and shown["healthy"] is False and shown["exit_code"] == 3
    assert [problem["code"] for problem in shown["problems"]] == ["server-down"]


def test_a_healthy_memory_ends_with_0_and_shows_its_numbers(warm: Warm) -> None:
    plain, document = status(), status("--json")
    assert plain.returncode == document.returncode == 0, plain.stdout
    shown = json.loads(document.stdout)
    assert shown["healthy"] and shown["index"]["notes"] > 20
    assert f"process {warm.process.pid}" in plain.stdout and str(warm.vault) in plain.stdout
    assert "general questions only" in plain.stdout
    assert f"{shown['index']['notes']} notes, {shown['index']['passages']} passages" in plain.stdout


def test_a_full_bank_is_named(
    home: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WELLKEPT_USER", "ada")
    fill(database, load(), 41)
    open_banks(load(), database).end_run(BANK, latched=True)
    assert "user:ada:shop: 41 memories, no new key" in status().stdout
    shown = json.loads(status("--json").stdout)
    assert shown["full"] == [{"bank": "user:ada:shop", "memories": 41}]


def test_a_panel_is_named_with_its_makers_or_refused_with_the_reason(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WELLKEPT_LLM_MODEL", "anthropic/claude-sonnet-4-5")
    models = ["openai/gpt-4.1", "gemini/gemini-2.5-flash"]
    monkeypatch.setenv("WELLKEPT_PANEL_MODELS", json.dumps(models))
    assert "openai/gpt-4.1 (openai), gemini/gemini-2.5-flash (google)" in status().stdout
    monkeypatch.setenv("WELLKEPT_PANEL_MODELS", json.dumps([models[0], "azure/gpt-4.1-mini"]))
    assert "refused: openai/gpt-4.1 and azure/gpt-4.1-mini" in status().stdout
