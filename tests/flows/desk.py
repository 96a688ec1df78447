"""What the tests of the flows work at: a vault under git, a store, runs of real flows."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from memory_core.proposals import queue
from memory_core.proposals.item import Evidence, Item
from memory_core.proposals.proposal import Proposal
from memory_core.record import capture
from memory_core.settings import Settings, load
from memory_core.store.database import Database

NOTE = """---
key: deploys
description: How the shop is deployed
updated: 2026-01-02
---

- Deploys go out on weekdays before 15:00.
- The canary takes ten minutes.
"""
AT = "2026-11-03T09:{:02}:00Z"
SAID = Evidence("s1", 1, "user", "never deploy on a Friday, in any project")


@dataclass
class Desk:
    """One test's vault and store; `runs` remembers the deployment of each flow."""

    vault: Path
    database: Database
    runs: dict[str, UUID] = field(default_factory=dict)

    @classmethod
    def laid(cls, vault: Path, database: Database) -> Desk:
        """A vault with one note, committed."""
        (vault / "deploys.md").write_text(NOTE, "utf-8")
        desk = cls(vault, database)
        for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "Begin"]):
            desk.git(*arguments)
        return desk

    @property
    def settings(self) -> Settings:
        """The settings of this test."""
        return load()

    def git(self, *arguments: str) -> str:
        """Run git in the vault."""
        person = ["-c", "user.name=Kari", "-c", "user.email=kari@example.org"]
        command = ["git", "-C", str(self.vault), *person, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def offer(self, run: str, *items: Item, subject: str = "s1") -> Proposal:
        """A proposal written by hand, as a routine would store it."""
        opened = queue.open_run(
            self.database, routine="wrap", subject=subject, run=run, user="kari",
            scope="shop", window={"session": subject, "since": 0, "until": 5},
        )  # fmt: skip
        return queue.offer(
            self.database, self.vault, self.settings, opened.id, items, summary="one"
        )

    def get(self, number: int) -> Proposal:
        """The proposal as it is now."""
        return queue.get(self.database, number)

    def recorded(self, session: str, *said: tuple[str, str], user: str = "kari") -> None:
        """Store a session of roles and texts, as a transcript of the neutral format."""
        rows = [
            {"session": session, "turn": turn, "ts": AT.format(turn), "role": role, "text": text}
            for turn, (role, text) in enumerate(said, 1)
        ]
        file = self.vault.parent / f"{session}.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        assert capture.take_file(self.database, user, file, "neutral", session) > 0

    def start(self, flow: Any, parameters: Mapping[str, Any]) -> UUID:
        """Create a run of a flow's deployment; nothing executes it yet."""
        from prefect.client.orchestration import get_client

        with get_client(sync_client=True) as client:
            if flow.name not in self.runs:
                self.runs[flow.name] = client.create_deployment(client.create_flow(flow), "test")
            run = client.create_flow_run_from_deployment(
                self.runs[flow.name], parameters=dict(parameters)
            )
            return run.id

    def execute(self, flow: Any, run: UUID) -> Any:
        """Run the flow in this process until it ends or suspends; its state."""
        from prefect.client.orchestration import get_client
        from prefect.exceptions import Pause
        from prefect.flow_engine import run_flow

        with get_client(sync_client=True) as client:
            found = client.read_flow_run(run)
        try:
            return run_flow(flow, found, found.parameters, return_type="state")
        except Pause as pause:
            return pause.state

    def resume(self, run: UUID, answer: Mapping[str, Any]) -> str:
        """Answer the form; Prefect's verdict, ACCEPT or REJECT, and its reason."""
        from prefect.client.orchestration import get_client
        from prefect.exceptions import NotPausedError

        with get_client(sync_client=True) as client:
            try:
                verdict = client.resume_flow_run(run, run_input=dict(answer))
            except NotPausedError as error:
                return f"ABORT {error}"
            reason = getattr(verdict.details, "reason", "") or ""
            return f"{verdict.status.value} {reason}".strip()

    def state(self, run: UUID) -> Any:
        """The run's state as the server tells it."""
        from prefect.client.orchestration import get_client

        with get_client(sync_client=True) as client:
            return client.read_flow_run(run).state


def rule(text: str = "- Never deploy on a Friday.", file: str = "deploys.md") -> Item:
    """A point that a routine wants to add."""
    return Item("add", "note", file, "No Friday deploys", after=text, evidence=(SAID,), value=1.0)
