"""Reads on in a transcript and stores what is new, a few exchanges a transaction.

The position goes forward in the transaction that stores what was read, so a process
that dies repeats at most what it had not stored. The last exchange is read again from
its beginning, because it may have grown. A file that is no longer the one that was read
(cut, rewritten) is read from its start; names keep every exchange single.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from memory_core.record import archive
from memory_core.record.assembly import Assembly
from memory_core.record.exchange import Exchange
from memory_core.record.transcripts import claude_code, codex, gemini, neutral, opencode
from memory_core.record.transcripts.event import Event, Reader
from memory_core.record.transcripts.lines import Line
from memory_core.record.transcripts.lines import read as read_lines
from memory_core.store.database import Database
from memory_core.store.tables import SessionRow, TranscriptRow, now

READERS: dict[str, Reader] = {
    claude_code.NAME: claude_code.events,
    codex.NAME: codex.events,
    gemini.NAME: gemini.events,
    opencode.NAME: opencode.events,
    neutral.NAME: neutral.events,
}
BATCH = 40  # exchanges a transaction
BATCH_CHARACTERS = 3_000_000
_MARK = 256  # bytes that tell whether a file is still the same


@dataclass(frozen=True, slots=True)
class Source:
    """A session and where its words are; `scope_of` names the project of a folder."""

    session: str
    transcript: str
    client: str
    user: str
    cwd: str
    scope_of: Callable[[str], str]


@dataclass(slots=True)
class _Position:
    begin: int
    seen: int
    counts: Counter[str]


@dataclass(slots=True)
class _Batch:
    exchanges: list[Exchange] = field(default_factory=list)
    characters: int = 0

    def add(self, exchange: Exchange | None) -> None:
        if exchange is not None:
            self.exchanges.append(exchange)
            self.characters += sum(len(s.text) + len(s.output) for s in exchange.spans)

    @property
    def full(self) -> bool:
        return len(self.exchanges) >= BATCH or self.characters >= BATCH_CHARACTERS


def is_new(database: Database, source: Source) -> bool:
    """Whether the transcript is not as it was when last read."""
    try:
        size = Path(source.transcript).stat().st_size
    except (OSError, ValueError):
        return False
    with database.read() as session:
        row = session.get(TranscriptRow, source.transcript)
    return row is None or row.size != size


def take(database: Database, source: Source) -> int:
    """Store what the transcript says beyond what was read; how many exchanges are new or fuller.

    A transcript that is not there gives nothing. Raises `OSError` when it cannot be read.
    """
    reader = READERS.get(source.client)
    if reader is None or not source.transcript or not Path(source.transcript).is_file():
        return 0
    with Path(source.transcript).open("rb") as file:
        return _Reading(database, source, file, reader).run()


class _Reading:
    """One pass over one file."""

    def __init__(self, database: Database, source: Source, file: BinaryIO, reader: Reader) -> None:
        self._database, self._source = database, source
        self._file, self._reader = file, reader
        self._size = os.fstat(file.fileno()).st_size
        self._position = self._resumed()
        self._counted = self._position.seen
        self._cwd, self._stored, self._batch = source.cwd, 0, _Batch()

    def run(self) -> int:
        assembly = self._assembly()
        for line in read_lines(self._file, self._position.begin):
            events = list(self._reader(line.row)) if line.row is not None else []
            for event in events:
                self._cwd = self._cwd or event.cwd
                if assembly.begins(event):
                    self._batch.add(assembly.finished())
                    assembly, self._position.begin = self._assembly(), line.position
                    if self._batch.full:
                        self._commit()
                assembly.add(event, line.position, line.end)
            self._count(line, events)
            self._position.seen = line.end
        self._batch.add(assembly.finished())
        self._commit(last=True)
        return self._stored

    def _assembly(self) -> Assembly:
        return Assembly(self._source.client, self._source.session)

    def _count(self, line: Line, events: list[Event]) -> None:
        if line.position < self._counted:
            return
        counts = self._position.counts
        counts["rows"] += 1
        if line.row is None or line.torn:
            counts["unreadable"] += 1
        for event in events:
            if event.kind == "skipped":
                counts[event.text] += 1

    def _resumed(self) -> _Position:
        with self._database.read() as session:
            row = session.get(TranscriptRow, self._source.transcript)
        if row is None or row.session != self._source.session:
            return _Position(0, 0, Counter())
        if self._size < row.seen or self._mark(row.seen) != row.mark:
            again = row.counts.get("read again", 0) + 1
            return _Position(0, 0, Counter({"read again": again}))
        return _Position(row.begin, row.seen, Counter(row.counts))

    def _mark(self, at: int) -> str:
        self._file.seek(max(0, at - _MARK))
        return hashlib.sha256(self._file.read(min(_MARK, at))).hexdigest()[:16]

    def _commit(self, *, last: bool = False) -> None:
        """Store the batch and how far it reaches.

        In the middle of a file that is the beginning of the exchange being read.
        """
        position = self._position
        seen = position.seen if last else position.begin
        back = self._file.tell()
        mark = self._mark(seen)
        self._file.seek(back)
        row = TranscriptRow(
            path=self._source.transcript, session=self._source.session,
            begin=position.begin, seen=seen, size=self._size if last else seen, mark=mark,
            counts={name: number for name, number in position.counts.items() if number},
        )  # fmt: skip
        with self._database.write() as session:
            if self._batch.exchanges:
                held = session.get(SessionRow, self._source.session) or self._session()
                self._stored += archive.keep(session, held, self._batch.exchanges)
            session.merge(row)
        self._batch = _Batch()

    def _session(self) -> SessionRow:
        return begun(self._source, self._cwd, self._batch.exchanges[0])


def begun(source: Source, cwd: str, first: Exchange | None) -> SessionRow:
    """The row of a session that is recorded from now on."""
    return SessionRow(
        id=source.session, client=source.client, user=source.user,
        scope=source.scope_of(cwd), cwd=cwd, transcript=source.transcript,
        started_at=first.at if first else now(), seen_at=now(),
    )  # fmt: skip
