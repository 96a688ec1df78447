"""A vault under git, a database, and a desk at which an import is offered and decided."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memory_core import settings
from memory_core.importers import importing, kinds
from memory_core.importers.importing import Import
from memory_core.proposals import apply, decision, queue
from memory_core.proposals.decision import Decision
from memory_core.proposals.proposal import Proposal
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.vault.vault import Vault

DATA = Path(__file__).parents[1] / "data" / "import"


@dataclass
class Desk:
    """Where sources are imported."""

    database: Database
    vault: Path

    @property
    def settings(self) -> Settings:
        return settings.load()

    def offer(self, source: Path, kind: str = "", **options: Any) -> Import:
        """Import as the command does, for ada, everywhere unless a scope is named."""
        values = {"user": "ada", "scope": "", **options}
        return importing.offer(
            self.database, Vault(self.vault), self.settings, source,
            kind or kinds.kind_of(source), **values,
        )  # fmt: skip

    def decide(self, found: Import, choice: str = "apply all", **options: Any) -> Proposal:
        """Decide and apply."""
        number = found.proposal.id
        made = Decision(choice, **options)  # type: ignore[arg-type]
        decision.decide(self.database, number, made, root=self.vault, settings=self.settings)
        apply.apply(self.database, self.vault, self.settings, number)
        return queue.get(self.database, number)

    def read(self, file: str) -> str:
        """A note's text."""
        return (self.vault / file).read_text("utf-8")


@pytest.fixture
def desk(tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """An empty vault under git, and no memory."""
    folder = tmp_path / "vault"
    folder.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    monkeypatch.setenv("WELLKEPT_VAULT", str(folder))
    monkeypatch.setenv("WELLKEPT_USER", "ada")
    return Desk(database, folder)


def targets(found: Import) -> list[tuple[str, str]]:
    """Target and text of every numbered item."""
    return [(item.target, item.after) for item in found.proposal.numbered]


def write(path: Path, text: str) -> Path:
    """A file with that text, and its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path
