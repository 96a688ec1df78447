"""A benchmark's drafts by a model: recorded once, played again without one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memory_core.cli.by_model import drafting, dreaming
from memory_core.errors import BadInput, NotFound, SettingsError
from memory_core.testing import StubModel
from tests.routines.told import fact, no_recall, place, reply, session


def test_a_recorded_draft_is_played_without_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault, tape = tmp_path / "vault", tmp_path / "tape.jsonl"
    vault.mkdir()
    talk, at = session(("user", "the limit is 64")), place(vault, {"a.md": "- Bread.\n"})
    with StubModel(reply(fact("The limit is 64.", 1))) as stub, monkeypatch.context() as patch:
        patch.setenv("WELLKEPT_LLM_MODEL", "openai/stub")
        patch.setenv("WELLKEPT_LLM_API_BASE", stub.url)
        first = drafting(tape, None)(talk, at, no_recall)
    again = drafting(None, tape)
    assert [item.after.strip() for item in first] == ["- The limit is 64."]
    assert again(talk, at, no_recall) == first
    with pytest.raises(NotFound, match="record it again"):
        again(session(("user", "the limit is 65")), at, no_recall)


def test_it_is_said_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="exclude"):
        drafting(tmp_path / "a", tmp_path / "b")
    with pytest.raises(SettingsError, match="llm_model"):
        drafting(None, None)


def no_floor(operation: str, payload: dict[str, Any]) -> dict[str, Any]:
    """A warm server that was not calibrated yet."""
    return {"status": "unavailable", "reason": "no floor yet"}


def test_a_recorded_dream_is_played_without_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault, tape = tmp_path / "vault", tmp_path / "tape.jsonl"
    vault.mkdir()
    at = place(vault, {"a.md": "- The limit is 64.\n"})
    talk = session(("user", "The limit is 128 now instead of 64."), ("agent", "Noted."))
    better = {
        "kind": "contradiction", "statement": "The limit is 128 now, formerly 64.",
        "observations": [1], "goes_to": "a.md", "replaces": 1, "worth": 5,
    }  # fmt: skip
    script = [{"observations": []}, {"claims": [better]}]
    with StubModel(script) as stub, monkeypatch.context() as patch:
        patch.setenv("WELLKEPT_LLM_MODEL", "openai/stub")
        patch.setenv("WELLKEPT_LLM_API_BASE", stub.url)
        first = dreaming(tape, None)(talk, at, no_floor)
    assert [item.after for item in first.items] == ["- The limit is 128 now, formerly 64."]
    assert dreaming(None, tape)(talk, at, no_floor) == first
