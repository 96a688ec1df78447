"""What a committed change owes the vault: its files, then its commit; done once, whoever does it.

The caller holds `lock.one_writer`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqlmodel import Session

from memory_core.proposals import commits, files
from memory_core.proposals import proposal as states
from memory_core.proposals.outcome import Outcome, outcome, proposal_of
from memory_core.proposals.proposal import items_of, row_of
from memory_core.proposals.records import edits_of, unwritten_row
from memory_core.settings import Settings
from memory_core.store import ledger
from memory_core.store.database import Database
from memory_core.store.tables import ItemRow


def groups(database: Database, root: Path) -> list[str]:
    """The changes with something still owed, oldest first.

    With a database that several hosts share, those of this vault alone: another host's is
    not a vault that was moved.
    """
    own = str(root) if database.shared else None
    with database.read() as session:
        return list(dict.fromkeys([*files.groups(session, own), *commits.groups(session, own)]))


def finish(database: Database, root: Path, settings: Settings, group: str) -> Outcome:
    """Write the files of a change, commit them, and note that it is done.

    They go to the vault they were approved for, or to `root` where that has been moved to.
    Raises `VaultError` where a file cannot be written, or the vault is another host's; it
    then stays owed.
    """
    moved_to = None if database.shared else root
    _write_files(database, moved_to, group, settings.always_loaded)
    notices = commits.perform(database, moved_to, group, settings.always_loaded)
    number = proposal_of(group)
    with database.read() as session:
        commit = commits.made(session, group)
        if not number:
            return Outcome(commit=commit, notices=notices)
        row = row_of(session, number)
        known = (row.state, row.commit) == (states.APPLIED, commit)
    if not known:
        with database.write() as session:
            row = row_of(session, number, lock=True)
            row.state, row.commit = states.APPLIED, commit
            session.add(row)
    with database.read() as session:
        return outcome(session, number, notices)


def _write_files(database: Database, moved_to: Path | None, group: str, always_loaded: str) -> None:
    """Bring every file of a change to its new text; one that somebody changed stays."""
    with database.read() as session:
        owed = [one for one in files.of_group(session, group, moved_to) if not one.done]
        moved = {one.file: files.difference(one, always_loaded) for one in owed}
        blocked = {file: reason for file, reason in moved.items() if reason}
        blocked |= _linked(session, group, blocked, [one.file for one in owed])
    for one in owed:
        reason = blocked.get(one.file, "")
        if not reason or files.written(one, always_loaded):
            reason = files.replace(one, always_loaded)
        else:
            files.unstage(one, always_loaded)
        with database.write() as session:
            files.settle(session, one, reason)
            if reason:
                _take_back(session, group, one.file, reason)


def _linked(
    session: Session, group: str, blocked: Mapping[str, str], every: list[str]
) -> dict[str, str]:
    """Files that an item connects with a blocked one: they stay as well, so no text is lost."""
    pairs = [set(every)] if not proposal_of(group) else _pairs(session, group)
    found: dict[str, str] = {}
    spreading = list(blocked)
    while spreading:
        file = spreading.pop()
        for other in set().union(*(pair for pair in pairs if file in pair)) - {file}:
            if other not in blocked and other not in found:
                found[other] = f"{file}, with which it exchanges text, was changed meanwhile"
                spreading.append(other)
    return found


def _pairs(session: Session, group: str) -> list[set[str]]:
    return [set(_files(session, item)) for item in _written_items(session, group)]


def _files(session: Session, item: ItemRow) -> list[str]:
    """The files that an item changed, as its ledger entry has them."""
    assert item.ledger is not None
    return [edit.file for edit in edits_of(ledger.entry(session, item.ledger))]


def _take_back(session: Session, group: str, file: str, reason: str) -> None:
    """Whatever should have changed the file did not: say so in the ledger, item by item."""
    number = proposal_of(group)
    if not number:
        unwritten_row(session, int(group.partition("-")[2]), reason)
    for item in _written_items(session, group):
        if file in _files(session, item):
            item.state, item.reason = states.CONFLICTED, reason
            session.add(item)
            unwritten_row(session, item.ledger or 0, reason)


def _written_items(session: Session, group: str) -> list[ItemRow]:
    """Items of notes that count as applied by a ledger row."""
    number = proposal_of(group)
    return [
        item
        for item in (items_of(session, number) if number else ())
        if item.kind != "memory" and item.ledger and item.state == states.APPLIED
    ]
