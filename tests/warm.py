"""The warm server that tests share, and two requests on its vault."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_core.server.client import Client
from memory_core.store import tables
from memory_core.store.database import Database

ASKED = "How does the checkout HPA scale: how many replicas at least and at most?"
NONSENSE = "xylophone quokka marmalade PHRASE_8842_QQQQ"


@dataclass(frozen=True)
class Warm:
    """A real server with real models on a small vault; `pid` is its process."""

    home: Path
    vault: Path
    process: subprocess.Popen[bytes]

    def call(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ask it with plenty of time."""
        return Client(60).call(path, body)


def calibrate(database: Database, index: dict[str, Any], floor: float) -> None:
    """Put a floor in force for the judge and the vault that `index` names."""
    row = tables.Calibration(
        at=tables.now(), judge=index["judge"], vault=index["vault"], floor=floor, clearance=1.0,
        answered=1.0, quiet=1.0, separated=True, questions="general", detail={},
    )  # fmt: skip
    with database.write() as session:
        session.add(row)
