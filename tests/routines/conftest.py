"""Vaults with a real recall by words alone, which needs no models and no seconds."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_core.benchmark.asking import in_process
from memory_core.recall.recall import NO_FLOOR, Models, Recall
from memory_core.recall.source import of_note
from memory_core.routines.place import Place
from memory_core.settings import Settings
from memory_core.vault.passages import split
from memory_core.vault.vault import Vault
from tests.routines.talk import Setting

ROOT = Path(__file__).parents[2]
OWN = ROOT / "tests" / "data" / "wrap"
DEMO = ROOT / "demo"


def _by_words(root: Path) -> Setting:
    vault = Vault(root)
    recall = Recall(Settings(), Models(None, None, "no models here"))
    recall.update(of_note(note, tuple(split(note))) for note in vault.scan().notes)
    return Setting(Place.of(vault, user="u", scope="", session="s"), in_process(recall, NO_FLOOR))


@pytest.fixture(scope="session")
def own(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    """The vault of our own sessions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WELLKEPT_HOME", str(tmp_path_factory.mktemp("own")))
        return _by_words(OWN / "vault")


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    """The demo's vault."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WELLKEPT_HOME", str(tmp_path_factory.mktemp("demo")))
        return _by_words(DEMO / "vault")
