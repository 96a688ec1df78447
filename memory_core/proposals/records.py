"""Changes of notes in the ledger: the whole file before and after, so that undo is exact.

`target` is the file; what else a change touches, as a move does, stands under `also`. A change
of the working set alone is of the kind `question`.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import unified_diff
from typing import Any

from sqlmodel import Session, select

from memory_core.banks.writer import By
from memory_core.proposals import question_lines
from memory_core.proposals.desk import Edit
from memory_core.proposals.render import visible
from memory_core.proposals.snapshot import Snapshot, restored
from memory_core.store import ledger
from memory_core.store.tables import LedgerRow
from memory_core.vault.question import WORKING_SET

KIND = "note"
QUESTION = "question"
KINDS = (KIND, QUESTION)  # whose entries hold whole files
UNWRITTEN = "not written"  # the action of a row that takes another one back


def note_row(
    session: Session, action: str, edits: Sequence[Edit], by: By, *, undoes: int | None = None
) -> int:
    """Record the change of one item and return its number."""
    first, *others = edits
    return ledger.append(
        session,
        kind=QUESTION if first.file == WORKING_SET else KIND,
        target=first.file,
        action=action,
        actor=by.actor,
        reason=by.reason,
        before=_kept(first.before, {other.file: other.before for other in others}),
        after=_kept(first.after, {other.file: other.after for other in others}),
        undoes=undoes,
        proposal=by.proposal,
    )


def unwritten_row(session: Session, number: int, reason: str) -> None:
    """Record that the change of an entry never reached the vault; again is harmless."""
    if is_unwritten(session, number):
        return
    entry = ledger.entry(session, number)
    ledger.append(
        session,
        kind=entry.kind,
        target=entry.target,
        action=UNWRITTEN,
        actor=entry.actor,
        reason=f"entry {number} was not written: {reason}",
        before=entry.after,
        after=entry.before,
        undoes=number,
        proposal=entry.proposal,
    )


def is_unwritten(session: Session, number: int) -> bool:
    """Whether the change of an entry never reached the vault."""
    query = select(LedgerRow.id).where(LedgerRow.undoes == number, LedgerRow.action == UNWRITTEN)
    return session.exec(query).first() is not None


def edits_of(entry: LedgerRow) -> list[Edit]:
    """The changes that a note's entry recorded, file by file."""
    before, after = _opened(entry.target, entry.before), _opened(entry.target, entry.after)
    return [Edit(file, before[file], after[file]) for file in before]


def changed_lines(entry: LedgerRow, limit: int = 8) -> list[str]:
    """What an entry changed, line by line: `- ` went, `+ ` came; invisible characters escaped."""
    found = [f"{sign} {visible(line)}" for edit in edits_of(entry) for sign, line in changes(edit)]
    more = [f"… {len(found) - limit} more lines"] if len(found) > limit else []
    return found[:limit] + more


def changes(edit: Edit) -> list[tuple[str, str]]:
    """The lines that went, `-`, and that came, `+`, blank ones left out; questions in short."""
    before, after = (text.splitlines() for text in (edit.before.text, edit.after.text))
    if edit.file == WORKING_SET:
        before, after = (one.text.split("\n") for one in (edit.before, edit.after))
    told = list(unified_diff(before, after, n=0, lineterm=""))[2:]
    found = [(line[0], line[1:]) for line in told if line[:1] in ("-", "+") and line[1:].strip()]
    if edit.file == WORKING_SET:
        return [(sign, question_lines.brief(line.rstrip("\r"))) for sign, line in found]
    return found


def _kept(main: Snapshot, others: dict[str, Snapshot]) -> dict[str, Any] | None:
    kept = main.as_json()
    if not others:
        return kept
    return {**(kept or {"missing": True}), "also": {f: o.as_json() for f, o in others.items()}}


def _opened(target: str, kept: dict[str, Any] | None) -> dict[str, Snapshot]:
    also = (kept or {}).get("also", {})
    main = None if kept is None or kept.get("missing") else kept
    return {target: restored(main), **{file: restored(other) for file, other in also.items()}}
