"""`wellkept install` shows the change, asks, and does what it showed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.installers.places import tree


@pytest.fixture
def user(tmp_path: Path, home: Path) -> Path:
    folder = tmp_path / "user"
    (folder / ".claude").mkdir(parents=True)
    (folder / ".claude" / "settings.json").write_text('{\n  "model": "opus"\n}\n', "utf-8")
    home.rmdir()
    return folder


def wellkept(*arguments: str, said: str = "") -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-I", "-m", "memory_core", *arguments],
        input=said, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    return done


def test_a_dry_run_shows_every_line_and_changes_nothing(user: Path, tmp_path: Path) -> None:
    before = tree(tmp_path)
    done = wellkept("install", "claude-code", "--dry-run")
    assert done.returncode == 0
    assert '+    "UserPromptSubmit": [' in done.stdout
    assert '+  "model": "opus",' in done.stdout and '-  "model": "opus"' in done.stdout
    assert f"+++ {user}/.claude.json" in done.stdout
    assert "Nothing was changed" in done.stdout
    assert tree(tmp_path) == before


def test_where_nobody_can_be_asked_nothing_is_done_without_yes(user: Path, tmp_path: Path) -> None:
    before = tree(tmp_path)
    done = wellkept("install", "claude-code", said="y\n")
    assert done.returncode == 1 and "--yes" in done.stderr
    assert tree(tmp_path) == before


def test_yes_asks_nothing_and_needs_no_client(user: Path, tmp_path: Path) -> None:
    before = tree(user)
    done = wellkept("install", "claude-code", "--yes")
    assert done.returncode == 0 and "Claude Code has wellkept now" in done.stdout
    again = wellkept("install", "claude-code", "--yes")
    assert again.stdout == "Nothing to change.\n"
    shown = wellkept("uninstall", "claude-code", "--dry-run")
    assert '-    "UserPromptSubmit": [' in shown.stdout and tree(user) != before
    assert wellkept("uninstall", "claude-code", "--yes").returncode == 0
    assert tree(user) == before
    assert wellkept("uninstall", "claude-code", "--yes").stdout == "Nothing to change.\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["install", "emacs", "--yes"], "one of: claude-code, codex, gemini, opencode"),
        (["uninstall", "emacs", "--yes"], "one of: claude-code, codex, gemini, opencode"),
        (["install", "opencode", "--plugin"], "leave --plugin out"),
        (["install", "codex", "--plugin"], "codex was not found"),
    ],
)
def test_what_cannot_be_is_said_with_what_can(
    arguments: list[str], said: str, user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    before = tree(tmp_path)
    done = wellkept(*arguments)
    assert done.returncode == 1 and said in done.stderr
    assert tree(tmp_path) == before


def test_malformed_settings_are_named_and_left(user: Path, tmp_path: Path) -> None:
    (user / ".claude" / "settings.json").write_text('{"model": ', "utf-8")
    before = tree(tmp_path)
    done = wellkept("install", "claude-code", "--yes")
    assert done.returncode == 1 and "settings.json cannot be changed safely" in done.stderr
    assert tree(tmp_path) == before
