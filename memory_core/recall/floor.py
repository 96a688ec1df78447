"""The gate: a raw score under which nothing is returned, valid for one judge only."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import desc
from sqlmodel import col, select

from memory_core.errors import NotCalibrated
from memory_core.store.database import Database
from memory_core.store.tables import Calibration


@dataclass(frozen=True, slots=True)
class Floor:
    """`clearance` = floor minus the best score a nonsense question reached."""

    value: float
    clearance: float
    judge: str
    questions: str


def in_force(database: Database, judge: str, vault: str) -> Floor:
    """The newest floor of this judge and vault.

    Raises `NotCalibrated`; it names the other judge when only that one has a floor.
    """
    with database.read() as session:
        query = select(Calibration).where(Calibration.vault == vault)
        rows = session.exec(query.order_by(desc(col(Calibration.id))).limit(200)).all()
    for row in rows:
        if row.judge == judge:
            return Floor(row.floor, row.clearance, row.judge, row.questions)
    if rows:
        raise NotCalibrated(
            f"the floor was measured with {rows[0].judge}, the model now is {judge}",
            remedy="run: wellkept calibrate",
        )
    raise NotCalibrated("this vault has no floor yet", remedy="run: wellkept calibrate")
