"""`init` takes a folder as it is, says what it made and keeps the other settings."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memory_core import settings
from memory_core.errors import SettingsError


def init(vault: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "memory_core", "init", str(vault)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_folder_of_notes_becomes_the_vault_and_stays_as_it_is(tmp_path: Path) -> None:
    vault = tmp_path / "nøtes and more"
    vault.mkdir()
    (vault / "one.md").write_text("# One\n\n- a point\n")
    done = init(vault)
    assert done.returncode == 0, done.stderr
    assert "1 notes" in done.stdout and "(made)" not in done.stdout
    assert settings.load().vault == vault
    assert [file.name for file in vault.iterdir()] == ["one.md"]


def test_a_folder_that_was_missing_is_said_to_be_made(tmp_path: Path) -> None:
    done = init(tmp_path / "new")
    assert "(made)" in done.stdout and (tmp_path / "new").is_dir()


def test_a_file_is_refused_in_one_line_and_the_setting_stays(tmp_path: Path) -> None:
    init(tmp_path / "kept")
    (tmp_path / "file").write_text("x")
    done = init(tmp_path / "file")
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert "name a folder" in done.stderr
    assert settings.load().vault == tmp_path / "kept"


def test_other_settings_and_comments_survive(tmp_path: Path, home: Path) -> None:
    config = home / "config.toml"
    config.write_text("# mine\nthreads = 1  # one is enough\nvault = '/gone'\n")
    init(tmp_path / "vault")
    text = config.read_text()
    assert "# mine" in text and "threads = 1  # one is enough" in text
    assert text.count("vault") == 2  # the key and the folder's name


def test_the_quiet_share_of_the_demo_does_not_follow_into_ones_own_vault(
    tmp_path: Path, home: Path
) -> None:
    settings.save({"vault": str(home / "demo-vault"), "quiet": 0.96})
    init(tmp_path / "mine")
    assert settings.load().quiet is None


def test_a_settings_file_that_is_no_toml_is_left_alone(home: Path) -> None:
    (home / "config.toml").write_text("vault = [")
    with pytest.raises(SettingsError, match=r"config\.toml is no TOML"):
        settings.save({"vault": "x"})
    assert (home / "config.toml").read_text() == "vault = ["
