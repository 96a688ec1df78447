"""Stores what the hooks left and what they could not see; one process at a time.

A spool file goes only after what it points to is stored. What no hook announced is found
too: turns that were interrupted, failed or killed, and sessions that never ended.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memory_core.errors import BadInput, Conflict, DatabaseBusy, WellkeptError
from memory_core.hooks import capturing, spool
from memory_core.record import archive, reading, sessions
from memory_core.record.reading import Source
from memory_core.record.redact import redacted
from memory_core.server.lock import ProcessLock
from memory_core.store.database import Database
from memory_core.store.tables import SessionRow
from memory_core.text import without_surrogates

TOO_OLD_S = 30 * 86_400.0  # a spool file that could not be stored for so long is given up
_POLL_S = 0.05


@dataclass(slots=True)
class Drained:
    """What a run did; `problems` are lines for a log, without a word of any session."""

    stored: int = 0
    ended: int = 0
    problems: list[str] = field(default_factory=list)


def lock() -> ProcessLock:
    """The lock of whoever stores."""
    return ProcessLock(Path(capturing.lock_file()))


def drain(database: Database, user: str, *, keep_days: int = 0) -> Drained:
    """Store everything that waits; the caller holds the lock.

    A session that cannot be stored stays in the spool and hinders no other.
    """
    done = Drained()
    waiting = _grouped(done)
    for session, events in waiting.items():
        _guarded(done, lambda s=session, e=events: _settle(database, user, s, e, done))
    for name in spool.names(spool.OPEN):
        _guarded(done, lambda n=name: _look_after(database, user, n, done))
    _guarded(done, _sweep)
    _guarded(done, lambda: _reconcile(database, done))
    if keep_days:
        _guarded(done, lambda: sessions.forget_older(database, keep_days))
    return done


def drain_session(database: Database, user: str, session: str, *, wait_s: float = 30.0) -> Drained:
    """Store what waits of one session, after whoever stores now.

    Raises `DatabaseBusy` when the lock is not had in `wait_s` seconds.
    """
    done = Drained()
    with _storing(wait_s, f"the record of {session}"):
        _settle(database, user, session, _grouped(done).get(session, []), done)
    return done


def drain_all(
    database: Database, user: str, *, keep_days: int = 0, wait_s: float = 30.0
) -> Drained:
    """Store everything that waits, after whoever stores now.

    Raises `DatabaseBusy` when the lock is not had in `wait_s` seconds.
    """
    with _storing(wait_s, "the record"):
        return drain(database, user, keep_days=keep_days)


@contextmanager
def _storing(wait_s: float, what: str) -> Iterator[None]:
    """The lock of whoever stores, waited for."""
    held = lock()
    until = time.monotonic() + wait_s
    while True:
        try:
            held.acquire("the capture process")
            break
        except Conflict:
            if time.monotonic() > until:
                raise DatabaseBusy(
                    f"{what} is being stored for over {wait_s:g} s", remedy="try again"
                ) from None
            time.sleep(_POLL_S)
    try:
        yield
    finally:
        held.release()


def take_file(database: Database, user: str, file: Path, client: str, session: str) -> int:
    """Store a transcript that no hook announced; how many exchanges are new.

    Raises `BadInput` for a client that no reader knows.
    """
    if client not in reading.READERS:
        known = ", ".join(reading.READERS)
        raise BadInput(f"no reader for transcripts of {client!r}", remedy=f"known: {known}")
    source = Source(session, str(file.resolve()), client, user, "", _scope_of)
    return reading.take(database, source)


def _grouped(done: Drained) -> dict[str, list[tuple[str, dict[str, Any]]]]:
    """The spool by session, each in order; what says nothing is removed."""
    found: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for name in spool.names():
        try:
            event = _event(name)
        except OSError as error:
            done.problems.append(f"spool file {name}: {error.strerror}")
            continue
        if event is None:
            spool.remove(name)
            done.problems.append(f"spool file {name} said nothing and was removed")
        else:
            found.setdefault(event["session"], []).append((name, event))
    return found


def _event(name: str, kind: str = spool.WAITING) -> dict[str, Any] | None:
    """What a spool file says, in text that can be stored; None when it names no session."""
    event = spool.read(name, kind)
    if event is None or not isinstance(event.get("session"), str) or not event["session"]:
        return None
    return {
        key: without_surrogates(value).replace("\0", "\ufffd") if isinstance(value, str) else value
        for key, value in event.items()
    }


def _settle(
    database: Database,
    user: str,
    session: str,
    events: list[tuple[str, dict[str, Any]]],
    done: Drained,
) -> None:
    """Read on in a session's transcripts, then note what the hooks said, then free the spool."""
    pointers = [event for _, event in events] or _known(database, session)
    try:
        for source in _sources(user, pointers):
            done.stored += reading.take(database, source)
        for _, event in events:
            _note(database, user, event, done)
    except (WellkeptError, OSError):
        for name, event in events:
            if abs(time.time() - _seconds(event)) > TOO_OLD_S:
                spool.remove(name)
        raise
    for name, event in events:
        spool.remove(name)
        if spool.is_own(str(event.get("transcript") or "")):
            Path(event["transcript"]).unlink(missing_ok=True)


def _note(database: Database, user: str, event: dict[str, Any], done: Drained) -> None:
    if event.get("event") == "session-end":
        with database.write() as session:
            done.ended += sessions.end(session, event["session"], str(event.get("reason") or ""))
    elif event.get("event") == "back" and event.get("reply"):
        at = datetime.fromtimestamp(_seconds(event), UTC)
        with database.write() as session:
            held = session.get(SessionRow, event["session"])
            if held is None:
                source = _source(user, event)
                held = reading.begun(source, source.cwd, None)
            done.stored += archive.keep_reply(
                session, held, client=str(event.get("client")), at=at,
                prompt=str(event.get("turn") or ""), reply=redacted(str(event["reply"])),
            )  # fmt: skip


def _look_after(database: Database, user: str, name: str, done: Drained) -> None:
    """A turn that has not ended: store what it says so far, forget it when it is long over."""
    pointer = _event(name, spool.OPEN)
    if pointer is None:
        spool.remove(name, spool.OPEN)
        return
    for source in _sources(user, [pointer]):
        if reading.is_new(database, source):
            done.stored += reading.take(database, source)
    if abs(time.time() - _last_change(pointer)) > sessions.IDLE.total_seconds():
        spool.remove(name, spool.OPEN)


def _sweep() -> None:
    """Remove messages that no event points to any more: a hook was killed between the two."""
    for name in spool.names(spool.ROWS):
        file = Path(spool.folder(spool.ROWS)) / name
        if time.time() - file.stat().st_mtime > TOO_OLD_S:
            file.unlink(missing_ok=True)


def _reconcile(database: Database, done: Drained) -> None:
    """Sessions that have not ended: read what their transcripts say now, end the idle ones."""
    for held in sessions.unended(database):
        source = Source(held.id, held.transcript, held.client, held.user, held.cwd, _scope_of)
        if reading.is_new(database, source):
            _guarded(done, lambda s=source: _count(done, reading.take(database, s)))
    done.ended += sessions.end_idle(database)


def _count(done: Drained, stored: int) -> None:
    done.stored += stored


def _guarded(done: Drained, run: Any) -> None:
    try:
        run()
    except WellkeptError as error:
        done.problems.append(redacted(error.message))
    except OSError as error:
        done.problems.append(f"{type(error).__name__}: {error.strerror}")
    except Exception as error:  # one session's oddity must not stop the others
        done.problems.append(f"unexpected {type(error).__name__}")


def _known(database: Database, session: str) -> list[dict[str, Any]]:
    with database.read() as stored:
        held = stored.get(SessionRow, session)
    if held is None:
        return []
    return [{"session": session, "transcript": held.transcript, "client": held.client,
             "cwd": held.cwd}]  # fmt: skip


def _sources(user: str, pointers: Iterable[dict[str, Any]]) -> list[Source]:
    """Each transcript once, in order."""
    found = (_source(user, pointer) for pointer in pointers)
    return list({source.transcript: source for source in found}.values())


def _source(user: str, pointer: dict[str, Any]) -> Source:
    return Source(
        session=str(pointer["session"]), transcript=str(pointer.get("transcript") or ""),
        client=str(pointer.get("client") or ""), user=user, cwd=str(pointer.get("cwd") or ""),
        scope_of=_scope_of,
    )  # fmt: skip


def _scope_of(cwd: str) -> str:
    from memory_core.banks.project import scope_of

    try:
        return scope_of(cwd or Path.home())
    except BadInput:
        return scope_of(Path.home())


def _seconds(event: dict[str, Any]) -> float:
    at = event.get("at")
    return float(at) if isinstance(at, int | float) else time.time()


def _last_change(pointer: dict[str, Any]) -> float:
    if not pointer.get("transcript"):
        return _seconds(pointer)
    try:
        return max(_seconds(pointer), Path(str(pointer["transcript"])).stat().st_mtime)
    except (OSError, ValueError):
        return _seconds(pointer)
