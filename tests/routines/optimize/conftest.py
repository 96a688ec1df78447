"""The shipped embedder, asked as the warm server is."""

from __future__ import annotations

from typing import Any

import pytest

from memory_core.recall.recall import Models
from memory_core.routines.place import Ask


@pytest.fixture(scope="session")
def ask(recall_models: Models) -> Ask:
    """Embeds, each text once; nothing else may be asked."""
    assert recall_models.embedder
    embedder, known = recall_models.embedder, {}

    def embed(operation: str, payload: dict[str, Any]) -> dict[str, Any]:
        assert operation == "embed"
        assert len(payload["texts"]) <= 64
        new = [text for text in payload["texts"] if text not in known]
        known.update(zip(new, embedder.embed(new).tolist(), strict=True) if new else ())
        return {"vectors": [known[text] for text in payload["texts"]]}

    return embed
