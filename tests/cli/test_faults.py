"""Whatever is wrong, a person gets one line with the remedy, and nothing is half done."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def wellkept(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "memory_core", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def _one_line(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 1, done.stdout
    assert "Traceback" not in done.stderr and done.stderr.count("\n") == 1, done.stderr
    return done.stderr


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ('database_url = "nonsense"', "database_url is no database URL"),
        ('database_url = "postgresql+absent://u:S3cretPw@nohost/db"', "database_url"),
        ('vault = "~nosuchuser/x"', "setting 'vault'"),
        ('always_loaded = "../MEMORY.md"', "setting 'always_loaded'"),
        ('prefect_url = "http://h:abc/api"', "setting 'prefect_url'"),
        ('prefect_url = "localhost:4200"', "setting 'prefect_url'"),
        ("vault = [1", "config.toml"),
        ("notes = 'three'", "setting 'notes'"),
        ("unknown = 1", "setting 'unknown'"),
    ],
)
def test_a_wrong_setting_is_named(home: Path, config: str, said: str) -> None:
    (home / "config.toml").write_text(config)
    line = _one_line(wellkept("memories"))
    assert said in line and "S3cretPw" not in line


def test_random_bytes_for_settings_are_refused_and_stay(home: Path, tmp_path: Path) -> None:
    (home / "config.toml").write_bytes(b"\xff\x00\x80")
    assert "config.toml" in _one_line(wellkept("init", str(tmp_path / "v")))
    assert (home / "config.toml").read_bytes() == b"\xff\x00\x80"


def test_a_state_folder_that_cannot_be_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WELLKEPT_HOME", "/dev/null")
    assert "WELLKEPT_HOME" in _one_line(wellkept("memories"))


def test_a_secret_is_refused_as_a_memory_and_reaches_no_file(home: Path) -> None:
    secret = "ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    done = wellkept("remember", "t", "--description", "the token", "--content", f"it is {secret}")
    assert "looks like a secret" in _one_line(done)
    assert not [
        file for file in home.rglob("*") if file.is_file() and secret.encode() in file.read_bytes()
    ]


def test_state_is_readable_by_its_owner_only(home: Path) -> None:
    home.chmod(0o755)
    assert wellkept("remember", "k", "--description", "d", "--content", "c").returncode == 0
    open_to_others = [file for file in home.rglob("*") if file.stat().st_mode & 0o077]
    assert open_to_others == []
