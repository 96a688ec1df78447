"""What dream finds in the sets of sessions whose right findings are known does not get worse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memory_core.benchmark import dream_gold, dream_score
from memory_core.benchmark.dream_score import Dreamed, DreamScore
from memory_core.recall.recall import Models
from memory_core.routines.dream import dream
from memory_core.routines.place import Place
from memory_core.vault.vault import Vault

ROOT = Path(__file__).parents[3]


def score(models: Models, vault: Path, sessions: Path, gold: Path) -> DreamScore:
    assert models.embedder
    embedder = models.embedder

    def ask(operation: str, payload: dict[str, Any]) -> dict[str, Any]:
        if operation == "embed":
            return {"vectors": embedder.embed(payload["texts"]).tolist()}
        return {"status": "unavailable", "reason": "not calibrated"}

    spot = Place.of(Vault(vault), user="ada", scope="", session="")
    found = dream.evidence(dream_score.window(sessions), spot, ask)
    drafted = dream.draft(found, spot)
    pairs = tuple((pair.one.file, pair.other.file) for pair in found.duplicates)
    return dream_score.judge(dream_gold.load(gold), Dreamed(drafted.items, pairs, drafted.notices))


@pytest.mark.parametrize("name", ["demo", "tests/data/dream", "tests/data/dream_later"])
def test_nothing_known_is_missed_and_little_is_wrong(recall_models: Models, name: str) -> None:
    folder = ROOT / name
    found = score(recall_models, folder / "vault", folder / "sessions", folder / "gold.json")
    assert found.procedures.missed == () and found.procedures.wrong == ()
    assert found.duplicates.missed == () and found.alarms == ()
    assert found.stale.missed == ()
    assert len(found.stale.wrong) <= 1
    for item in found.dreamed.items:
        assert item.action in ("add", "revise")  # nothing is taken away
        assert item.after.startswith(item.before)
        assert item.evidence or item.detail.get("newer")
