"""The page about import and export: its commands run as they stand."""

from __future__ import annotations

import re
import shlex
import shutil
import zipfile
from pathlib import Path

import pytest

from memory_core.importers.kinds import KINDS
from tests.cli.person import Person, wellkept

PAGE = (Path(__file__).parents[1] / "docs" / "import.md").read_text("utf-8")
DATA = Path(__file__).parent / "data" / "import"


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of a person who has what the page names."""
    home = tmp_path / "user"
    shutil.copytree(DATA / "project", home / "shop")
    shutil.copytree(DATA / "memory-folder", home / ".claude" / "projects")
    shutil.copytree(DATA / "obsidian", home / "Obsidian")
    (home / "Downloads").mkdir()
    shutil.copy(DATA / "chatgpt" / "copied.txt", home / "Downloads" / "memories.txt")
    with zipfile.ZipFile(home / "Downloads" / "claude-export.zip", "w") as archive:
        for file in (DATA / "claude").glob("*.json"):
            archive.write(file, file.name)
    (tmp_path / "vault").mkdir()
    monkeypatch.setenv("WELLKEPT_VAULT", str(tmp_path / "vault"))
    return home


def commands() -> list[list[str]]:
    blocks = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("$ ")]
    return [shlex.split(line.removeprefix("$ "), comments=True) for line in lines]


def test_the_page_s_commands_do_what_it_says(user: Path) -> None:
    said = []
    for words in commands():
        env = dict(word.split("=", 1) for word in words[: words.index("wellkept")])
        env = {name: value.replace("~", str(user)) for name, value in env.items()}
        if env:
            env["WELLKEPT_VAULT"] = str(user / "new-vault")
        with Person(*wellkept(*words[words.index("wellkept") + 1 :]), env=env, columns=200) as ada:
            if words[-1] == "review":
                ada.until("item 1 of 8")
                ada.press("a", "y", "q")
            assert ada.ended() == 0, (words, ada.said)
            said.append(ada.said)
    told = [
        re.search(r"8 changes would|Proposal \d offers \d+|an Obsidian vault", one) for one in said
    ]
    assert [match[0] for match in told if match] == [
        "8 changes would", "Proposal 1 offers 8", "Proposal 2 offers 4", "Proposal 3 offers 6",
        "Proposal 4 offers 3", "an Obsidian vault",
    ]  # fmt: skip
    assert "restored" in said[-1]


def test_the_page_names_every_file_that_is_known() -> None:
    assert {"notes", "chatgpt"} <= set(KINDS)
    for name in ("CLAUDE.md", "AGENTS.md", "GEMINI.md", "MEMORY.md", "--from notes", "--of"):
        assert name in PAGE
