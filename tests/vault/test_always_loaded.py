"""The always-loaded file's state is known, whatever is there."""

from __future__ import annotations

from pathlib import Path

from memory_core.vault import always_loaded


def test_characters_are_counted_against_the_cap(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("æøå" * 50, "utf-8")
    state = always_loaded.state(tmp_path, "MEMORY.md", 140)
    assert (state.exists, state.characters, state.over_cap) == (True, 150, True)
    assert state.line == "MEMORY.md: 150 of 140 characters, 10 over"


def test_a_missing_file_and_a_folder_are_said(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    assert always_loaded.state(tmp_path, "MEMORY.md", 3000).line == "MEMORY.md: not there"
    assert always_loaded.state(tmp_path, "folder", 3000).line == "folder: not a file"


def test_broken_utf8_is_counted(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_bytes(b"ab\xffcd")
    assert always_loaded.state(tmp_path, "MEMORY.md", 3000).characters == 5
