"""A vault on disk, a real database, and short ways to offer and decide."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from memory_core.proposals import queue
from memory_core.proposals.apply import Outcome, apply
from memory_core.proposals.decision import Decision, decide
from memory_core.proposals.item import Evidence, Item
from memory_core.proposals.proposal import Proposal
from memory_core.settings import Settings
from memory_core.store import ledger
from memory_core.store.database import Database
from memory_core.store.tables import LedgerRow

SAID = (Evidence("session-1", 3, "user", "we always do it so", at="2026-01-05T10:00:00+00:00"),)
HEAD = "---\nkey: alpha\ndescription: about alpha\nupdated: 2024-01-31\n---\n\n"
NOTE = f"{HEAD}# Alpha\n\n- one\n- two\n"


def add(target: str, text: str, **more: Any) -> Item:
    kind = more.pop("kind", "memory" if ":" in target else "note")
    values = {"title": text[:40] or "title", "evidence": SAID, "value": 1.0, **more}
    return Item("add", kind, target, after=text, **values)


def revise(target: str, before: str, after: str, **more: Any) -> Item:
    values = {"title": after[:40], "evidence": SAID, "value": 1.0, "kind": "note", **more}
    return Item("revise", target=target, before=before, after=after, **values)


def drop(target: str, before: str, **more: Any) -> Item:
    values = {
        "title": f"drop {before}"[:40],
        "evidence": SAID,
        "value": 1.0,
        "kind": "note",
        **more,
    }
    return Item("drop", target=target, before=before, **values)


def move(target: str, before: str, to: str, **more: Any) -> Item:
    values = {"title": "move it", "evidence": SAID, "value": 1.0, "kind": "note", **more}
    detail = {"to": to, **values.pop("detail", {})}
    return Item("move", target=target, before=before, detail=detail, **values)


@dataclass
class Place:
    """Where a test's proposals live."""

    database: Database
    root: Path
    settings: Settings
    runs: int = 0
    ledger_limit: int = field(default=500)

    def write(self, file: str, text: str | bytes = NOTE) -> Path:
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        return path

    def read(self, file: str) -> str:
        return (self.root / file).read_bytes().decode("utf-8")

    def open(self, routine: str = "wrap", subject: str = "session-1", **window: Any) -> int:
        self.runs += 1
        proposal = queue.open_run(
            self.database, routine=routine, subject=subject, run=f"run-{self.runs}",
            user="ada", scope="github.com/acme/shop", window=window,
        )  # fmt: skip
        return proposal.id

    def offer(
        self, *items: Item, routine: str = "wrap", subject: str = "", **window: Any
    ) -> Proposal:
        number = self.open(routine, subject or f"session-{self.runs + 1}", **window)
        return self.fill(number, items)

    def fill(self, number: int, items: Sequence[Item], **more: Any) -> Proposal:
        return queue.offer(self.database, self.root, self.settings, number, items, **more)

    def decide(self, number: int, choice: str = "apply all", **more: Any) -> Proposal:
        decision = Decision(choice, **more)  # type: ignore[arg-type]
        return decide(self.database, number, decision, root=self.root, settings=self.settings)

    def apply(self, number: int) -> Outcome:
        return apply(self.database, self.root, self.settings, number)

    def accept(self, *items: Item, choice: str = "apply all", **more: Any) -> Outcome:
        proposal = self.offer(*items)
        self.decide(proposal.id, choice, **more)
        return self.apply(proposal.id)

    def get(self, number: int) -> Proposal:
        return queue.get(self.database, number)

    def entries(self, target: str | None = None) -> list[LedgerRow]:
        with self.database.read() as session:
            return list(ledger.entries(session, target=target, limit=self.ledger_limit))


@pytest.fixture
def place(database: Database, tmp_path: Path) -> Place:
    root = tmp_path / "vault"
    root.mkdir()
    settings = Settings(vault=root, user="ada")
    found = Place(database, root, settings)
    found.write("alpha.md")
    return found


Git = Callable[..., str]


def git_in(folder: Path) -> Git:
    """Git in a folder; it fails the test where git fails."""

    def run(*arguments: str, given: str = "") -> str:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], input=given, capture_output=True, text=True,
            env={**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"},
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout.rstrip("\n")

    return run


@pytest.fixture
def git(place: Place) -> Git:
    """The vault as a repository with everything committed."""
    run = git_in(place.root)
    run("init", "-q", "-b", "main")
    run("config", "user.name", "Ada")
    run("config", "user.email", "ada@example.org")
    run("add", "-A")
    run("commit", "-q", "-m", "begin")
    return run
