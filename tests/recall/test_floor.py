"""A floor belongs to one judge and one vault."""

from __future__ import annotations

import pytest

from memory_core.errors import NotCalibrated
from memory_core.recall.floor import in_force
from memory_core.store.database import Database
from memory_core.store.tables import Calibration, now


def _keep(database: Database, judge: str, floor: float, vault: str = "v") -> None:
    with database.write() as session:
        session.add(
            Calibration(
                at=now(),
                judge=judge,
                vault=vault,
                floor=floor,
                clearance=1.0,
                answered=0.9,
                quiet=1.0,
                separated=True,
                questions="general",
                detail={},
            )
        )


def test_the_newest_floor_of_the_judge_is_in_force(database: Database) -> None:
    _keep(database, "a", 1.0)
    _keep(database, "a", 2.0)
    assert in_force(database, "a", "v").value == 2.0


def test_a_floor_of_another_model_is_refused_by_name(database: Database) -> None:
    _keep(database, "old-model", 1.0)
    with pytest.raises(NotCalibrated, match=r"old-model.*new-model"):
        in_force(database, "new-model", "v")


def test_an_exchanged_model_that_comes_back_finds_its_own_floor(database: Database) -> None:
    _keep(database, "a", 1.0)
    _keep(database, "b", 2.0)
    assert in_force(database, "a", "v").value == 1.0


def test_a_vault_without_a_floor_says_what_to_do(database: Database) -> None:
    _keep(database, "a", 1.0, vault="another")
    with pytest.raises(NotCalibrated, match="wellkept calibrate"):
        in_force(database, "a", "v")
