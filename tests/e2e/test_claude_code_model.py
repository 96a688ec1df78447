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
from tests.e2e.conftest import BIN, Stub
from tests.llm.conftest import PROMPT, Facts

pytestmark = pytest.mark.e2e
HOOKS = {
    "SessionStart": "session-start", "UserPromptSubmit": "front",
    "Stop": "back", "SessionEnd": "session-end",
}  # fmt: skip


@pytest.fixture
def agent(claude: Path, stub: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A command for a client that has our hooks in the user's own settings."""
    folder = tmp_path / "user" / ".claude"
    folder.mkdir(parents=True)
    hooks = {
        event: [{"hooks": [{"type": "command", "command": f"{BIN}/wellkept-hook {name}"}]}]
        for event, name in HOOKS.items()
    }
    (folder / "settings.json").write_text(json.dumps({"hooks": hooks}))
    for name, value in {
        "CLAUDE_CONFIG_DIR": str(folder), "ANTHROPIC_BASE_URL": stub.url,
        "ANTHROPIC_API_KEY": "dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1", "CLAUDECODE": "1",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    return f"command:{claude} -p --tools ''"


def test_it_answers_and_its_own_turn_is_not_recorded(
    agent: str, stub: Stub, database: Database, home: Path
) -> None:
    before = {file for file in home.rglob("*") if not file.name.startswith("wellkept.sqlite")}
    found = llm.complete(
        load(llm_model=agent), database, routine="wrap", run="r", prompt=PROMPT,
        values={"talk": '[[reply:{"facts": ["tests run with make test"]}]]', "most": 3},
        schema=Facts,
    )  # fmt: skip
    assert found.facts == ["tests run with make test"]
    entries = [json.loads(line) for line in stub.log.read_text("utf-8").splitlines()]
    turns = [one["body"] for one in entries if "Find facts." in json.dumps(one["body"])]
    assert turns and not any(turn.get("tools") for turn in turns)
    after = {file for file in home.rglob("*") if not file.name.startswith("wellkept.sqlite")}
    assert after == before
    with database.read() as session:
        assert (
            session.exec(select(SessionRow)).all() == session.exec(select(ExchangeRow)).all() == []
        )
