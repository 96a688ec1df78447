"""A tape: what a model said once is said again, to the same request alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_core.errors import BadInput, NotFound
from memory_core.llm.tape import Player, Recorder
from memory_core.prompts import Prompt
from memory_core.store.database import Database
from memory_core.testing import StubModel
from tests.llm.conftest import GOOD, PROMPT, Ask, Facts


def test_a_recorded_reply_is_played_without_a_model(ask: Ask, tmp_path: Path) -> None:
    file, values = tmp_path / "tape.jsonl", {"talk": "PGPASSWORD is set", "most": 3}
    with StubModel(GOOD) as stub:
        settings = stub.settings()
        recorder = Recorder(file, lambda **_: ask(settings))  # type: ignore[arg-type,return-value]
        said = recorder(prompt=PROMPT, values=values, schema=Facts)
    assert Player(file)(prompt=PROMPT, values=values, schema=Facts) == said
    assert "is set" not in file.read_text("utf-8")


def test_a_request_that_is_not_on_the_tape_says_what_differs(tmp_path: Path) -> None:
    file, values = tmp_path / "tape.jsonl", {"talk": "a", "most": 3}
    recorder = Recorder(file, lambda **_: Facts(facts=[]))  # type: ignore[arg-type,return-value]
    recorder(prompt=PROMPT, values=values, schema=Facts)
    player = Player(file)
    with pytest.raises(NotFound, match="other values"):
        player(prompt=PROMPT, values=values | {"talk": "b"}, schema=Facts)
    with pytest.raises(NotFound, match="another text of the prompt"):
        player(prompt=Prompt("facts", PROMPT.text + "!"), values=values, schema=Facts)


def test_a_broken_tape_is_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "tape.jsonl"
    file.write_text('{"key": "a", "prompt": "p", "reply": {}}\n{"key"\n', "utf-8")
    with pytest.raises(BadInput, match="line 2"):
        Player(file)
    with pytest.raises(NotFound, match=r"none\.jsonl"):
        Player(tmp_path / "none.jsonl")


def test_a_tape_that_cannot_be_written_is_named_before_anything_is_asked(
    tmp_path: Path, database: Database
) -> None:
    with pytest.raises(BadInput, match="cannot be written"):
        Recorder(tmp_path / "none" / "tape.jsonl", lambda **_: Facts(facts=[]))  # type: ignore[arg-type,return-value]
