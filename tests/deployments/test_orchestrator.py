"""Where the Prefect server of a state folder listens."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployments import orchestrator
from memory_core.settings import Settings


@pytest.mark.parametrize("kept", ["", "x", "-1", "0", "99999", "9" * 5000])
def test_a_port_that_cannot_be_is_chosen_anew(home: Path, kept: str) -> None:
    orchestrator.folder().mkdir()
    (orchestrator.folder() / "port").write_text(kept)
    chosen = orchestrator.prepare(Settings())
    assert 1024 < chosen <= 65_535
    assert orchestrator.port(Settings()) == chosen
