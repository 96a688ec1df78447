"""The same for people: banks, history, proposals, sessions as Markdown; nothing reads it back."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import groupby

from sqlmodel import Session, col, select

from memory_core.banks.bank import parse_bank_id
from memory_core.banks.slug import slug
from memory_core.errors import BadInput
from memory_core.proposals import render
from memory_core.proposals.proposal import loaded
from memory_core.proposals.render import visible
from memory_core.record import archive
from memory_core.store.tables import (
    LedgerRow,
    MemoryRow,
    ProposalRow,
    SessionRow,
    utc,
)

Page = tuple[str, str]  # a file's name and its text


def pages(session: Session, *, record: bool) -> Iterator[Page]:
    """Every page, made when it is asked for."""
    yield from _banks(session)
    yield "history.md", _history(session)
    for row in session.exec(select(ProposalRow).order_by(col(ProposalRow.id))).all():
        yield f"proposals/{row.id:05}.md", render.markdown(loaded(session, row))
    if record:
        yield from _sessions(session)


def _banks(session: Session) -> Iterator[Page]:
    query = select(MemoryRow).order_by(col(MemoryRow.bank), col(MemoryRow.key))
    for bank, rows in groupby(session.exec(query).all(), key=lambda row: row.bank):
        parts = [f"# {parse_bank_id(bank).kind}: {visible(bank)}", ""]
        for row in rows:
            parts += [f"## {row.key}", "", f"*{visible(row.description)}*", ""]
            parts += [visible(row.content), "", _where(row), ""]
        yield f"memories/{_file(bank)}.md", "\n".join(parts)


def _where(row: MemoryRow) -> str:
    places = [":".join(pair) for pair in (*row.refs, *row.tags)]
    applies = f"; applies to {', '.join(map(visible, places))}" if places else ""
    return f"Version {row.version}, updated {utc(row.updated_at):%Y-%m-%d}{applies}"


def _history(session: Session) -> str:
    parts = ["# History", ""]
    for row in session.exec(select(LedgerRow).order_by(col(LedgerRow.id))).all():
        reason = f": {visible(row.reason)}" if row.reason else ""
        parts.append(
            f"{row.id}. {utc(row.at):%Y-%m-%d %H:%M} {row.action} `{visible(row.target)}`"
            f" by {visible(row.actor)}{reason}"
        )
    return "\n".join(parts) + "\n"


def _sessions(session: Session) -> Iterator[Page]:
    for row in session.exec(select(SessionRow).order_by(col(SessionRow.id))).all():
        parts = [f"# Session {visible(row.id)}", "", f"{row.client} in `{visible(row.cwd)}`", ""]
        for exchange in archive.exchanges(session, of=row.id):
            parts += [f"## Turn {exchange.turn}, {exchange.at:%Y-%m-%d %H:%M}", ""]
            for span in exchange.spans:
                told = span.text or f"{span.name}: {span.input}"
                parts += [f"**{span.source}**", "", visible(told), ""]
        yield f"record/{utc(row.started_at):%Y-%m-%d}-{_file(row.id)}.md", "\n".join(parts)


def _file(name: str) -> str:
    """A file's name for an id: readable, and no two alike."""
    try:
        stem = slug(name)[:60]
    except BadInput:
        stem = "unnamed"
    return f"{stem}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
