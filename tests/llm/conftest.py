"""A small schema, a small prompt, and one way to ask with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel
from sqlmodel import select

from memory_core import llm
from memory_core.prompts import Prompt
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.store.tables import LlmCallRow

PROMPT = Prompt("facts", "Find facts.\n\n---\n\n{{talk}}\n\nAt most {{most}} facts.\n")
GOOD = {"facts": ["tests run with make test"]}


class Facts(BaseModel):
    facts: list[str]


Ask = Callable[..., Facts]


@pytest.fixture
def ask(database: Database) -> Ask:
    def asked(settings: Settings, talk: str = "hello", run: str = "r1", **more: Any) -> Facts:
        return llm.complete(
            settings, database, routine="wrap", run=run, prompt=PROMPT,
            values={"talk": talk, "most": 3}, schema=Facts, **more,
        )  # fmt: skip

    return asked


def calls(database: Database) -> list[LlmCallRow]:
    with database.read() as session:
        return list(session.exec(select(LlmCallRow).order_by(LlmCallRow.id)))  # type: ignore[arg-type]
