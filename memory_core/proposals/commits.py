"""One git commit for each change of the vault."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sqlmodel import Session

from memory_core.store import outbox
from memory_core.store.database import Database

KIND = "commit"


def post(session: Session, group: str, root: Path, subject: str, lines: list[str]) -> None:
    payload = {"group": group, "root": str(root), "subject": subject, "lines": lines}
    outbox.post(session, kind=KIND, key=f"{KIND}:{group}", payload=payload)


def groups(session: Session) -> Sequence[str]:
    return [str(row.payload["group"]) for row in outbox.pending(session, KIND)]


def perform(database: Database, group: str) -> tuple[str, ...]:
    with database.write() as session:
        outbox.done(session, f"{KIND}:{group}")
    return ()


def made(database: Database, group: str) -> str:
    return ""
