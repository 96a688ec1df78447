"""A vault with both sets, laid on the desk that tests of flows share, and a user who keeps it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from sqlmodel import col, delete

from memory_core.proposals import queue
from memory_core.proposals.proposal import Proposal
from memory_core.server.client import Client
from memory_core.store.tables import Calibration
from tests.benchmark import shelf
from tests.flows.desk import Desk
from tests.warm import calibrate

SECRETS = ("zanzibar lighthouse", "obsidian teapot", "marzipan comet")
SETS = (".wellkept/benchmark/working.jsonl", ".wellkept/benchmark/heldout.jsonl")


@dataclass
class Keeper:
    """A user of the shared desk whose vault is scored, audited and mended."""

    desk: Desk
    name: str
    flow: Any

    @property
    def proposals(self) -> list[Proposal]:
        """Newest first."""
        found = queue.listed(self.desk.database, limit=200)
        return [one for one in found if one.user == self.name]

    @property
    def always_loaded(self) -> str:
        """The file as it is."""
        return (self.desk.vault / "MEMORY.md").read_text("utf-8")

    def run(self, **parameters: Any) -> UUID:
        """Create a run; nothing executes it yet."""
        return self.desk.start(self.flow, parameters)

    def execute(self, run: UUID) -> Any:
        """Run it in this process until it ends or waits; its state."""
        return self.desk.execute(self.flow, run)


@contextmanager
def laid(environment: dict[str, str], desk: Desk) -> Iterator[Desk]:
    """The desk with notes, both sets and a floor, all taken away again."""
    shelf.lay(desk.vault)
    rows = [
        shelf.row("h001", f"what about the {SECRETS[0]}?", "kiln.md", "ten minutes", "heldout"),
        shelf.row("h002", f"who owns the {SECRETS[1]}?", "bees.md", "oxalic acid", "heldout"),
        shelf.row("h003", f"when does the {SECRETS[2]} come?", None, None, "heldout"),
    ]
    (desk.vault / SETS[1]).write_text("".join(f"{one}\n" for one in rows), "utf-8")
    desk.git("add", ".")
    desk.git("commit", "-qm", "A workshop")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        calibrate(desk.database, Client(60).call("/index"), shelf.FLOOR)
    yield desk
    with desk.database.write() as session:
        session.execute(delete(Calibration).where(col(Calibration.id).is_not(None)))
    for file in (*shelf.NOTES, *SETS):
        (desk.vault / file).unlink(missing_ok=True)
    desk.git("add", ".")
    desk.git("commit", "-qm", "Empty the workshop")


def artifact(key: str) -> str:
    """The newest version of an artifact."""
    from prefect.artifacts import Artifact

    found: Any = Artifact.get(key)
    assert found
    return str(found.data) if not isinstance(found.data, dict) else json.dumps(found.data)
