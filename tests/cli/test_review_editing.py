"""A person's own words, whatever their editor is."""

from __future__ import annotations

import pytest

from memory_core.cli.review.editing import written
from memory_core.errors import BadInput


@pytest.mark.parametrize("editor", ['vi "', "/nowhere/at/all", "false"])
def test_an_editor_that_cannot_be_used_is_named(
    editor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", editor)
    with pytest.raises(BadInput, match=r"editor|EDITOR"):
        written("text", "item-1.md")


def test_an_editor_of_blanks_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "  ")
    monkeypatch.setattr("builtins.input", lambda _: "")
    assert written("text", "item-1.md") == ""
