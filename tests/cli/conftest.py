"""A vault with proposals that wait, and a person to decide them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from memory_core import settings
from memory_core.proposals import queue
from memory_core.proposals.item import Item
from memory_core.store.database import Database
from tests.cli import offers
from tests.cli.offers import Offer
from tests.cli.person import Hire, Person, wellkept


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault of ten notes under git, named in the environment."""
    folder = offers.vault(tmp_path / "vault", 10)
    monkeypatch.setenv("WELLKEPT_VAULT", str(folder))
    monkeypatch.setenv("WELLKEPT_USER", "ada")
    return folder


@pytest.fixture
def offer(notes: Path, database: Database) -> Offer:
    """Offers items as a routine does; returns the proposal's number."""

    def make(*items: Item, subject: str = offers.SESSION, **said: object) -> int:
        run = queue.open_run(
            database, routine="wrap", subject=subject, run=f"run of {subject}", user="ada",
            scope="github.com/acme/shop", window={},
        )  # fmt: skip
        made = queue.offer(database, notes, settings.load(), run.id, items, **said)  # type: ignore[arg-type]
        assert made.state == "open", made
        return made.id

    return make


@pytest.fixture
def person() -> Iterator[Hire]:
    """Sits a person down before a `wellkept` command."""
    with ExitStack() as stack:

        def hire(*arguments: str, **options: object) -> Person:
            return stack.enter_context(Person(*wellkept(*arguments), **options))  # type: ignore[arg-type]

        yield hire
