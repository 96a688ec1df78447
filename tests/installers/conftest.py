"""The installer in a user's home of its own, without any client."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployments.clients import folder as sources
from memory_core.installers import install as by_hand
from memory_core.installers.client import client


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a blank, a quote and a letter beyond ASCII in its name, and no client."""
    folder = tmp_path / "Åse's home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("WELLKEPT_HOME", str(folder / ".wellkept"))
    for name in ("CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME", "OPENCODE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    return folder


def install(name: str) -> bool:
    """Do it; whether anything had to be done."""
    plan = by_hand.install(client(name), sources())
    if not plan.is_empty:
        plan.apply()
    return not plan.is_empty


def uninstall(name: str) -> bool:
    """Undo it; whether anything had to be done."""
    plan = by_hand.uninstall(client(name), sources())
    if not plan.is_empty:
        plan.apply()
    return not plan.is_empty
