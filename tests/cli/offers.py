"""Proposals to review: values for drawing, and real ones in a real vault and database."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memory_core.proposals.item import Evidence, Item
from memory_core.proposals.proposal import Numbered, Proposal

Offer = Callable[..., int]  # items in, the proposal's number out
SESSION = "3f2a9c1e-0000-4000-8000-000000000001"
QUOTE = "No: we deploy on Tuesdays, never on Fridays."
SAID = Evidence(SESSION, 9, "user", QUOTE, at="2026-11-30T14:02:11+00:00")


def numbered(number: int = 1, **changes: Any) -> Numbered:
    """An item as a routine stored it."""
    values: dict[str, Any] = {
        "id": number, "number": number, "action": "revise", "kind": "note",
        "target": "release.md", "base": "0" * 64, "title": "Deploy day",
        "before": "- We deploy on Fridays.", "after": "- We deploy on Tuesdays.",
        "detail": {}, "evidence": (SAID,), "provenance": "user", "value": 0.8,
        "fingerprint": str(number), "state": "open", "reason": "", "carried": None, "ledger": None,
    }  # fmt: skip
    return Numbered(**(values | changes))


def proposal(*items: Numbered, **changes: Any) -> Proposal:
    """A proposal that waits."""
    values: dict[str, Any] = {
        "id": 12, "routine": "wrap", "subject": SESSION, "run": "run-12", "flow_run": "",
        "state": "open", "user": "ada", "scope": "github.com/acme/shop", "window": {},
        "summary": "", "notices": (), "cost": {},
        "created_at": datetime.now(UTC) - timedelta(hours=3), "decided_at": None,
        "decision": None, "applied_at": None, "commit": "", "items": items or (numbered(),),
    }  # fmt: skip
    return replace(Proposal(**values), **changes)


def vault(folder: Path, notes: int) -> Path:
    """A vault under git, a note for each number, one point that a proposal can revise."""
    folder.mkdir()
    for number in range(1, notes + 1):
        text = f"# Topic {number}\n\n- Fact {number} is old.\n- It has a neighbour.\n"
        (folder / f"topic-{number}.md").write_text(text, "utf-8")
    for command in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "Notes")):
        author = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        subprocess.run(["git", *author, *command], cwd=folder, check=True)
    return folder


def revision(number: int, **changes: Any) -> Item:
    """An item that revises the note of that number."""
    item = Item(
        "revise", "note", f"topic-{number}.md", f"Fact {number} changed",
        before=f"- Fact {number} is old.", after=f"- Fact {number} is new.",
        evidence=(replace(SAID, quote=f"Fact {number} is new, please note."),),
        value=1 - number / 100,
    )  # fmt: skip
    return replace(item, **changes)
