"""Reverse a recorded change of notes: to the byte where nothing happened since.

Where the file changed since, our lines alone are taken back by a three-way merge; where
somebody changed the same lines, `Conflict` shows the file. An undo is a change like any
other: a ledger row, files written once, a git commit.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from sqlmodel import Session

from memory_core.banks.writer import By
from memory_core.errors import BadInput, Conflict
from memory_core.proposals import commits, files, owing, standing
from memory_core.proposals.desk import Desk, Edit
from memory_core.proposals.edit import stamped
from memory_core.proposals.lock import one_writer
from memory_core.proposals.records import (
    KINDS,
    UNWRITTEN,
    changes,
    edits_of,
    is_unwritten,
    note_row,
)
from memory_core.proposals.snapshot import Snapshot
from memory_core.proposals.three_way import merged
from memory_core.settings import Settings
from memory_core.store import ledger
from memory_core.store.database import Database
from memory_core.store.tables import LedgerRow
from memory_core.vault.question import WORKING_SET

_REVERSE = {"add": "drop", "drop": "add"}


@dataclass(frozen=True, slots=True)
class Undone:
    """`number` is the undo's own ledger entry; `back` and `gone` count lines, or questions."""

    number: int
    action: str
    files: tuple[str, ...]
    commit: str
    back: int = 0
    gone: int = 0
    notices: tuple[str, ...] = ()


def undo(database: Database, root: Path, settings: Settings, number: int, by: By) -> Undone:
    """Reverse ledger entry `number`, a change of notes.

    Raises `NotFound`, `BadInput` for an entry about something else or one that never
    reached the vault, `Conflict` with the newer text, and `VaultError`.
    """
    root = root.resolve()
    with one_writer(database) as journal:
        for group in owing.groups(database, root):
            owing.finish(database, root, settings, group)
        with files.Staging(journal, settings.always_loaded) as staging:
            with database.write() as session:
                desk = Desk(root, settings)
                desk.require_vault()
                entry = _entry(session, number)
                edits = [_reversed(desk, entry, edit) for edit in edits_of(entry)]
                action = _REVERSE.get(entry.action, entry.action)
                made = note_row(session, action, edits, by, undoes=number)
                _owe(session, desk, made, number, edits, staging)
            staging.keep()
        outcome = owing.finish(database, root, settings, f"undo-{made}")
    _check_written(database, made)
    names = tuple(edit.file for edit in edits)
    signs = Counter(sign for edit in edits for sign, _ in changes(edit))
    return Undone(
        made, action, names, outcome.commit, signs["+"], signs["-"], notices=outcome.notices
    )


def _entry(session: Session, number: int) -> LedgerRow:
    entry = ledger.entry(session, number)
    if entry.kind not in KINDS:
        raise BadInput(f"entry {number} is about a {entry.kind}, not a note")
    if entry.action == UNWRITTEN or is_unwritten(session, number):
        raise BadInput(f"entry {number} never reached the vault", remedy="there is nothing to undo")
    return entry


def _reversed(desk: Desk, entry: LedgerRow, edit: Edit) -> Edit:
    """The edit that takes another one back from the file as it is now."""
    there = desk.original(edit.file)
    if there.sha256 == edit.after.sha256:
        return Edit(edit.file, there, edit.before)
    text, there_now = None, there.text
    if edit.file == WORKING_SET:  # a set that is not there is an empty one
        text = merged(edit.after.text, there.text, edit.before.text)
        if text == "" and edit.before.data is None:
            return Edit(edit.file, there, edit.before)
    elif None not in (there.data, edit.before.data, edit.after.data):
        texts = [stamped(one.text, desk.moment) for one in (edit.after, there, edit.before)]
        text = merged(*texts)
        there_now = texts[1]
    if text == there_now:
        raise Conflict(f"nothing of entry {entry.id} is left in {edit.file}", current=there.text)
    if text is None:
        raise Conflict(
            f"{edit.file} changed since entry {entry.id}, in the same lines",
            remedy="undo the later entries first, or edit the note",
            current=there.text,
        )
    return Edit(edit.file, there, Snapshot.of(text))


def _owe(
    session: Session,
    desk: Desk,
    made: int,
    number: int,
    edits: list[Edit],
    staging: files.Staging,
) -> None:
    group = f"undo-{made}"
    for edit in edits:
        owed = files.Owed(group, desk.root, edit.file, edit.before, edit.after)
        staging.add(owed)
        files.post(session, owed)
    standing.follow(session, desk, {edit.file: (edit.before, edit.after) for edit in edits})
    subject = f"Undo entry {number} in {', '.join(edit.file for edit in edits)}"
    commits.post(session, group, desk.root, subject, ())


def _check_written(database: Database, made: int) -> None:
    with database.read() as session:
        if is_unwritten(session, made):
            entry = ledger.entry(session, made)
            raise Conflict(f"{entry.target} was changed meanwhile", remedy="try again")
