"""How far a run is: a bar as an artifact, and lines of the log."""

from __future__ import annotations

from typing import Any

from prefect import get_run_logger
from prefect.artifacts import create_progress_artifact, update_progress_artifact


class Progress:
    """Told with the share that is done, 0 to 1, and what is done now."""

    def __init__(self, routine: str) -> None:
        self._artifact: Any = create_progress_artifact(0.0, description=f"{routine}: begins")

    def __call__(self, share: float, what: str) -> None:
        get_run_logger().info("%s", what)
        update_progress_artifact(self._artifact, round(share * 100, 1), description=what)
