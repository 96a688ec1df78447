"""The sweep at a start: what it leaves to people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from deployments import sweep
from memory_core.proposals import queue
from memory_core.proposals.item import Item
from memory_core.settings import Settings
from memory_core.store.database import Database


def test_an_import_that_waits_is_given_no_run(database: Database, tmp_path: Path) -> None:
    item = Item("add", "memory", "user:ada:cats", "Two cats", after="Two cats.")
    found = queue.offer_at_once(
        database, tmp_path, Settings(), [item], routine="import", subject="memories.json",
        run="import:1", user="ada", scope="", window={},
    )  # fmt: skip
    assert found.state == "open"
    nothing: Any = None  # it must ask neither Prefect nor the dispatcher for anything
    assert sweep.restart(nothing, database, nothing) == 0
