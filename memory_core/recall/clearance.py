"""The clearance over time: floor minus the best score that a nonsense question reaches.

A calibration measures it once and the warm server again each day, since a vault that grows
comes to hold what was nonsense. Every measurement is kept for good.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from memory_core.store.database import Database
from memory_core.store.tables import Calibration, ClearanceRow, now, utc


@dataclass(frozen=True, slots=True)
class Clearance:
    """One measurement; `worst` is the id of the nonsense question that came nearest.

    `calibrated` tells a new floor from a daily measurement of the one in force.
    """

    at: datetime
    value: float
    floor: float
    judge: str
    worst: str
    calibrated: bool


def newest(database: Database, judge: str, vault: str) -> Clearance | None:
    """The last measurement of the floor in force; None where no floor is."""
    with database.read() as session:
        floors = _floors(session, vault, judge, 1)
        if not floors:
            return None
        in_force = floors[0]
        daily = [_of_day(row) for row in _daily(session, vault, judge, 1)]
    fresh = [one for one in daily if one.at > in_force.at and one.floor == in_force.floor]
    return fresh[0] if fresh else in_force


def negative(value: float, worst: str) -> str:
    """A negative clearance in a line."""
    named = f" ({worst})" if worst else ""
    return f"the clearance is negative ({value:.2f}): a nonsense question{named} passes the floor"


def history(database: Database, vault: str, limit: int = 1000) -> list[Clearance]:
    """Every measurement of a vault, oldest first, of all judges; the last `limit` of each kind."""
    with database.read() as session:
        floors = _floors(session, vault, None, limit)
        daily = [_of_day(row) for row in _daily(session, vault, None, limit)]
    return sorted([*floors, *daily], key=lambda one: one.at)


def keep(
    database: Database,
    *,
    judge: str,
    vault: str,
    floor: float,
    best: float,
    worst: str,
    questions: int,
) -> ClearanceRow:
    """Store what was measured now."""
    row = ClearanceRow(
        at=now(), judge=judge, vault=vault, floor=floor, clearance=round(floor - best, 6),
        best=best, worst=worst, questions=questions,
    )  # fmt: skip
    with database.write() as session:
        session.add(row)
    return row


def _floors(session: Session, vault: str, judge: str | None, limit: int) -> list[Clearance]:
    query = select(Calibration).where(Calibration.vault == vault)
    if judge is not None:
        query = query.where(Calibration.judge == judge)
    rows = session.exec(query.order_by(col(Calibration.id).desc()).limit(limit)).all()
    return [
        Clearance(
            utc(row.at), row.clearance, row.floor, row.judge,
            str(row.detail.get("best_nonsense_id", "")), calibrated=True,
        )
        for row in rows
    ]  # fmt: skip


def _daily(session: Session, vault: str, judge: str | None, limit: int) -> list[ClearanceRow]:
    query = select(ClearanceRow).where(ClearanceRow.vault == vault)
    if judge is not None:
        query = query.where(ClearanceRow.judge == judge)
    return list(session.exec(query.order_by(col(ClearanceRow.id).desc()).limit(limit)).all())


def _of_day(row: ClearanceRow) -> Clearance:
    return Clearance(utc(row.at), row.clearance, row.floor, row.judge, row.worst, calibrated=False)
