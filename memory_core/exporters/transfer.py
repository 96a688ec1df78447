"""A database copied into one of the other kind: every id, version and number stays as it is.

Table by table in the order of keys, each batch a transaction, so that a copy that was broken
off goes on where it stopped. Nobody writes to the source meanwhile: its write lock is held.
A mark stands in the target until every table has the same count and the same SHA-256 on
both sides. The source is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sqlmodel import Session

from memory_core.errors import Conflict, Permanent
from memory_core.exporters import rows
from memory_core.store.database import Database
from memory_core.store.tables import CounterRow

MARK = "unfinished copy"  # a counter of the target while rows are missing
BATCH = 200  # rows; an exchange of the record may hold megabytes
_WAIT_S = 5.0
_ANEW = "empty the target (drop and create the database, move the file aside) and repeat"

Told = Callable[[str, int], None]


@dataclass(slots=True)
class Transferred:
    """Rows by table, SHA-256 of each table's rows, and whether an earlier copy was continued."""

    counts: dict[str, int] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    resumed: bool = False


def transfer(
    source: Database, target: Database, told: Told = lambda _name, _rows: None
) -> Transferred:
    """Copy everything; `told` hears the table and how many of its rows a batch brought.

    Raises `Conflict` for a target that holds something else, or a source that was changed
    since the copy was broken off; `Permanent` where the two sides differ at the end.
    """
    with target.alone("transfer", _WAIT_S), source.write() as held:
        done = Transferred(resumed=_begin(target))
        for name in rows.moved():
            _copy(held, target, name, told)
        for name in rows.moved():
            done.counts[name], done.hashes[name] = _verified(held, target, name)
        with target.write() as session:
            rows.seed(held, session)
    return done


def _begin(target: Database) -> bool:
    """Mark the target; whether it was marked already.

    Raises `Conflict` for one that is in use.
    """
    with target.write() as session:
        if session.get(CounterRow, MARK) is not None:
            return True
        if used := rows.used(session):
            raise Conflict(f"the target is not empty ({', '.join(used[:4])})", remedy=_ANEW)
        session.add(CounterRow(name=MARK, value=1))
    return False


def _copy(held: Session, target: Database, name: str, told: Told) -> None:
    """Bring a table's missing rows, behind the last one that is there."""
    with target.read() as session:
        key = rows.last(session, name)
        if key is not None and rows.digest(held, name, key) != rows.digest(session, name):
            raise Conflict(f"{name} was changed since the copy was broken off", remedy=_ANEW)
    while True:
        with target.write() as session:
            key, count = rows.copy(held, name, session, key, BATCH)
        if not count:
            return
        told(name, count)


def _verified(held: Session, target: Database, name: str) -> tuple[int, str]:
    """Count and hash of a table, the same on both sides."""
    wanted = rows.digest(held, name)
    with target.read() as session:
        found = rows.digest(session, name)
    if found != wanted:
        raise Permanent(
            f"{name} holds {found[0]:,} rows there and {wanted[0]:,} here, or they differ",
            remedy=_ANEW,
        )
    return wanted
