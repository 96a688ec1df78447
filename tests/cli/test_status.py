"""`wellkept status` makes a round trip and says what is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from memory_core.banks.banks import open_banks
from memory_core.cli import status_table
from memory_core.cli.status import read
from memory_core.proposals import queue
from memory_core.readings import faults
from memory_core.recall import clearance
from memory_core.server import client
from memory_core.server.client import Client
from memory_core.settings import load
from memory_core.store.calls import Call, Calls
from memory_core.store.database import Database
from memory_core.store.tables import ProposalRow
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


def test_a_negative_clearance_and_a_failed_routine_need_a_person(warm: Warm) -> None:
    database = Database(f"sqlite:///{warm.home / 'wellkept.sqlite'}")
    index = warm.call("/index")
    row = clearance.keep(
        database, judge=index["judge"], vault=index["vault"], floor=index["floor"],
        best=index["floor"] + 0.25, worst="n007", questions=150,
    )  # fmt: skip
    run = queue.open_run(
        database, routine="dream", subject="v", run="failed", user="ada", scope="", window={}
    )
    queue.fail(database, run.id, "the model has no balance")
    try:
        shown = read()
        started = warm.call("/session-start", {"cwd": str(warm.vault), "source": "startup"})
        metrics = Client(60).text("/metrics")
    finally:
        with database.write() as session:
            session.delete(row)
            session.delete(session.get(ProposalRow, run.id))
        database.close()
    assert shown["exit_code"] == faults.PERSON and not shown["healthy"]
    told = {problem["code"]: problem["said"] for problem in shown["problems"]}
    assert "(-0.25): a nonsense question (n007) passes the floor" in told["clearance-negative"]
    assert told["routine-failed"] == "dream failed: the model has no balance"
    [notice] = started["notices"]
    assert "clearance is negative (-0.25)" in notice and "wellkept calibrate" in notice
    assert "wellkept_clearance -0.25" in metrics
    assert 'wellkept_routine_last_run_failed{routine="dream"} 1.0' in metrics
    assert read()["exit_code"] == 0


def test_a_proposal_that_waits_is_no_fault_and_hook_calls_are_told_without_a_server(
    database: Database,
) -> None:
    calls = Calls()
    calls.add([Call(1e9, "notes", "", 500.0), Call(1e9, "unavailable", "too slow", 850.0)])
    calls.close()
    run = queue.open_run(
        database, routine="wrap", subject="s", run="r", user=load().user, scope="", window={}
    )
    with database.write() as session:
        row = session.get(ProposalRow, run.id)
        assert row
        row.state = "open"
        session.add(row)
    shown = read()
    assert shown["proposals"]["waiting"] == 1
    assert [problem["code"] for problem in shown["problems"]] == ["server-down"]
    lines = dict(status_table.lines(shown))
    assert lines["front hook"] == "p50 500 ms, p95 850 ms over 2 requests"
    told = "notes 1, nothing 0, unavailable 1 (too slow 1); 2 calls since "
    assert lines["its answers"].startswith(told)


def test_the_cost_to_carry_is_told_in_characters_and_tokens(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "MEMORY.md").write_text("x" * 3800, "utf-8")
    monkeypatch.setenv("WELLKEPT_VAULT", str(tmp_path))
    shown = read()
    held = shown["carry"]["always_loaded"]
    assert (held["characters"], held["tokens"], held["cap"]) == (3800, 1000, 3000)
    assert shown["carry"]["digest"]["lines"] == 0 < shown["carry"]["digest"]["tokens"]
    assert "always-loaded-over" in [problem["code"] for problem in shown["problems"]]
    assert faults.exit_code([faults.Fault("notice", "n", "n")]) == 0


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
