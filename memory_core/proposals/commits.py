"""One git commit for each change of the vault: our change alone, whatever else goes on.

The commit is built beside the user's index and work tree: what they staged or modified
stays exactly as it is, also in the files that the change touched (a three-way merge takes
our lines alone). Where that is not possible, a file is left uncommitted and a notice says
so. A trailer names the change, so that it is committed once.

No commit hook runs and nothing is signed: the commit is made by plumbing. A vault that a
repository around it does not track is left out of it.
During a merge or a rebase nothing is committed; the row stays owed.
"""

from __future__ import annotations

import secrets
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from sqlmodel import Session

from memory_core.errors import BadInput, VaultError
from memory_core.proposals import files
from memory_core.proposals.git import Entry, Repository, repository
from memory_core.proposals.snapshot import Snapshot, place
from memory_core.proposals.three_way import merged
from memory_core.store import outbox
from memory_core.store.database import Database
from memory_core.store.tables import CounterRow, OutboxRow, utc
from memory_core.text import clean, one_line
from memory_core.vault.note import shortened

KIND = "commit"
SUBJECT = 72  # characters of a message's first line
LINE = 160  # characters of the others
_TRAILERS = {"proposal": "Proposal-Id", "undo": "Undo-Id"}
_TRIES, _PAUSE = 4, 0.25
_PLAIN = "100644"


def post(session: Session, group: str, root: Path, subject: str, lines: Sequence[str]) -> None:
    """Owe the commit of a change inside the caller's transaction."""
    kind, _, number = group.partition("-")
    told = [shortened(one_line(clean(line)), LINE) for line in lines]
    payload = {
        "group": group,
        "root": str(root),
        "subject": shortened(one_line(clean(subject)), SUBJECT),
        "lines": told,
        "trailer": f"{_TRAILERS[kind]}: {number}-{_database_id(session)}",
    }
    outbox.post(session, kind=KIND, key=f"{KIND}:{group}", payload=payload)


def groups(session: Session, root: str | None = None) -> Sequence[str]:
    """The changes whose commit is still owed, oldest first; those of one vault, or all."""
    rows = outbox.pending(session, KIND)
    return [str(row.payload["group"]) for row in rows if root in (None, row.payload["root"])]


def made(session: Session, group: str) -> str:
    """The commit of a change; "" where there is none."""
    row = session.get(OutboxRow, f"{KIND}:{group}")
    return str(row.payload.get("commit", "")) if row else ""


def perform(
    database: Database, moved_to: Path | None, group: str, always_loaded: str
) -> tuple[str, ...]:
    """Make the commit unless it is there; returns what a person should know.

    `moved_to` is as in `files.of_group`. A commit that cannot be made now stays owed.
    """
    with database.read() as session:
        row = session.get(OutboxRow, f"{KIND}:{group}")
        owed = files.of_group(session, group, moved_to)
    if row is None or row.done_at is not None:
        return ()
    written = [one for one in owed if one.done and not one.conflict]
    work = _Work(row, written, always_loaded)
    try:
        commit = work.commit() if written else ""
    except (VaultError, BadInput) as error:
        return (*work.notices, f"not committed yet: {error.message}")
    with database.write() as session:
        stored = session.get_one(OutboxRow, row.key)
        stored.payload = {**stored.payload, "commit": commit or ""}
        if commit is not None:
            outbox.done(session, row.key)
    return tuple(work.notices)


@dataclass(slots=True)
class _Work:
    """The commit of one change; `notices` grow while it is made."""

    row: OutboxRow
    written: list[files.Owed]
    always_loaded: str
    notices: list[str] = field(default_factory=list)

    def commit(self) -> str | None:
        """The commit's name, "" where there is nothing to commit, None where it must wait."""
        around = repository(self.written[0].root)
        if around is None or not around.tracks(self.written[0].root):
            return ""
        if around.busy:
            self.notices.append(f"not committed yet: {around.busy} is in progress")
            return None
        since = (utc(self.row.at) - timedelta(days=1)).isoformat()
        for attempt in range(_TRIES):
            if there := around.found(self.row.payload["trailer"], since):
                return there
            try:
                return self._once(around)
            except VaultError:  # another git holds a lock, or moved HEAD meanwhile
                if attempt == _TRIES - 1:
                    raise
                self.notices.clear()
                time.sleep(_PAUSE)
        return None

    def _once(self, into: Repository) -> str:
        parent = into.head()
        commits: dict[str, Entry | None] = {}
        staged: dict[str, Entry | None] = {}
        for owed in self.written:
            self._add(into, owed, commits, staged)
        if not commits:
            return ""
        with tempfile.TemporaryDirectory(prefix="wellkept-") as folder:
            tree = into.tree(commits, parent, Path(folder) / "index")
        into.stage(staged)
        if parent and tree == into.tree_of(parent):
            return ""
        return into.commit(tree, parent, self._message())

    def _add(
        self,
        into: Repository,
        owed: files.Owed,
        commits: dict[str, Entry | None],
        staged: dict[str, Entry | None],
    ) -> None:
        """Our change of one file on what is committed and on what is staged."""
        where = place(owed.root, owed.file, self.always_loaded)
        if not where.is_relative_to(into.top):
            return self.notices.append(f"{owed.file} is not committed: it is outside of git")
        path = where.relative_to(into.top).as_posix()
        head, index = into.in_head(path), into.in_index(path)
        if head is None and not index and into.ignored(path):
            return self.notices.append(f"{owed.file} is not committed: git ignores it")
        if len(index) > 1:
            return self.notices.append(f"{owed.file} is not committed: it is in a merge conflict")
        if head is None and owed.before.data is not None:
            return self.notices.append(f"{owed.file} is not committed: git does not track it yet")
        try:
            change = _Change(into, path, owed.before, owed.after)
            fresh = change.on(head)
            commits[path], staged[path] = fresh, change.on(index[0] if index else None, fresh)
        except _Clash:
            commits.pop(path, None)
            said = "it holds changes of yours in the same lines, not committed before"
            self.notices.append(f"{owed.file} is not committed: {said}")
        return None

    def _message(self) -> str:
        payload = self.row.payload
        parts = (payload["subject"], "\n".join(payload["lines"]), payload["trailer"])
        return "\n\n".join(filter(None, parts)) + "\n"


class _Clash(Exception):
    """Our change cannot be told apart from the user's."""


class _Change:
    """One file's change as git stores it, filters of the path applied."""

    def __init__(self, into: Repository, path: str, before: Snapshot, after: Snapshot) -> None:
        self._into, self._path = into, path
        self._before, self._after = self._stored(before), self._stored(after)

    def on(self, there: Entry | None, fresh: Entry | None = None) -> Entry | None:
        """The entry with our change; `fresh` is the committed one that the index may follow."""
        mode = there.mode if there else fresh.mode if fresh else _PLAIN
        blob = there.blob if there else None
        if blob in (self._before, self._after):
            return Entry(mode, self._after) if self._after else None
        if not (blob and self._before and self._after):
            raise _Clash
        texts = [self._text(name) for name in (self._before, blob, self._after)]
        joined = merged(*texts)
        if joined is None:
            raise _Clash
        data = joined.encode("utf-8", "surrogateescape")
        return Entry(mode, self._into.store_plain(data))

    def _text(self, blob: str) -> str:
        return self._into.content(blob).decode("utf-8", "surrogateescape")

    def _stored(self, snapshot: Snapshot) -> str | None:
        return None if snapshot.data is None else self._into.store(self._path, snapshot.data)


def _database_id(session: Session) -> str:
    """A random name of this database, so that two of them can share a repository."""
    row = session.get(CounterRow, "database id")
    if row is None:
        row = CounterRow(name="database id", value=secrets.randbits(32))
        session.add(row)
        session.flush()
    return f"{row.value:08x}"
