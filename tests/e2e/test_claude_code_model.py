"""The real Claude Code as the language model: it answers, and it leaves no trace here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlmodel import select

from memory_core import llm
from memory_core.settings import load
from memory_core.store.database import Database
from memory_core.store.tables import ExchangeRow, SessionRow
from tests.e2e.agents import Agent, program
from tests.llm.conftest import PROMPT, Facts

pytestmark = pytest.mark.e2e


@pytest.fixture
def agent(session: Agent, monkeypatch: pytest.MonkeyPatch) -> str:
    """A command for a client that has our hooks in the user's own settings."""
    session.install()
    for name, value in session.environment.items():
        if name.startswith(("ANTHROPIC", "CLAUDE", "DISABLE")):
            monkeypatch.setenv(name, value)
    monkeypatch.setenv("CLAUDECODE", "1")
    return f"command:{program('claude-code')[0]} -p --tools ''"


def test_it_answers_and_its_own_turn_is_not_recorded(
    agent: str, session: Agent, database: Database, home: Path
) -> None:
    before = {file for file in home.rglob("*") if not file.name.startswith("wellkept.sqlite")}
    found = llm.complete(
        load(llm_model=agent), database, routine="wrap", run="r", prompt=PROMPT,
        values={"talk": '[[reply:{"facts": ["tests run with make test"]}]]', "most": 3},
        schema=Facts,
    )  # fmt: skip
    assert found.facts == ["tests run with make test"]
    entries = [json.loads(line) for line in session.stub.log.read_text("utf-8").splitlines()]
    turns = [one["body"] for one in entries if "Find facts." in json.dumps(one["body"])]
    assert turns and not any(turn.get("tools") for turn in turns)
    after = {file for file in home.rglob("*") if not file.name.startswith("wellkept.sqlite")}
    assert after == before
    with database.read() as stored:
        assert stored.exec(select(SessionRow)).all() == []
        assert stored.exec(select(ExchangeRow)).all() == []
