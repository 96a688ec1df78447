"""What proposals quote of a session; it goes when the session is forgotten."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

from sqlalchemy import Text, cast
from sqlmodel import Session, select

from memory_core.store import outbox
from memory_core.store.tables import ItemRow, ProposalRow

FORGOTTEN = "[forgotten]"
_UNDECIDED = ("open", "stale", "skipped", "conflicted")


def forget(session: Session, name: str) -> int:
    """Take a session's quotes out of every proposal; how many items had some.

    An undecided item loses its text too, since that was made from the quotes, and a
    proposal without any other item is not open any more.
    """
    written = json.dumps(name)[1:-1]
    query = select(ItemRow).where(cast(ItemRow.evidence, Text).contains(written, autoescape=True))
    rows = [row for row in session.exec(query).all() if any(_is_of(p, name) for p in row.evidence)]
    for row in rows:
        row.evidence = [_emptied(piece, name) for piece in row.evidence]
        if row.state in _UNDECIDED:
            row.title = row.before = row.after = FORGOTTEN
            row.detail, row.state, row.reason = {}, "superseded", "its session was forgotten"
        session.add(row)
    for number in {row.proposal for row in rows}:
        _hide(session, number)
    return len(rows)


def _is_of(piece: dict[str, Any], name: str) -> bool:
    return piece.get("session") == name


def _emptied(piece: dict[str, Any], name: str) -> dict[str, Any]:
    return {**piece, "quote": FORGOTTEN} if _is_of(piece, name) else piece


def _hide(session: Session, number: int) -> None:
    """Close a proposal with nothing left to decide; what Prefect shows of it goes too."""
    session.flush()
    proposal = session.get(ProposalRow, number)
    open_items = select(ItemRow.id).where(ItemRow.proposal == number, ItemRow.state == "open")
    if proposal and proposal.state == "open" and not session.exec(open_items).first():
        proposal.state = "superseded"
        session.add(proposal)
    key = f"{outbox.FORGET}:{number}:{uuid4()}"  # a proposal may quote several such sessions
    outbox.post(session, kind=outbox.FORGET, key=key, payload={"proposal": number})
