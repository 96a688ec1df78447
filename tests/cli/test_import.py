"""`wellkept import` and `wellkept export` as a person and as a program use them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.person import Hire, environment, wellkept

DATA = Path(__file__).parents[1] / "data" / "import"


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    monkeypatch.setenv("WELLKEPT_VAULT", str(folder))
    monkeypatch.setenv("WELLKEPT_USER", "ada")
    return folder


def run(*arguments: str | Path, code: int = 0, **env: str) -> str:
    """What a command prints; of a failure its one line of error."""
    done = subprocess.run(
        wellkept(*map(str, arguments)), env=environment(env), capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout if code == 0 else done.stderr


def document(*arguments: str | Path, **env: str) -> Any:
    return json.loads(run(*arguments, "--json", **env))


def test_an_import_is_reviewed_on_a_terminal(vault: Path, person: Hire) -> None:
    said = run("import", DATA / "claude")
    assert "Proposal 1 offers 6 changes. Decide: wellkept review" in said
    assert not list(vault.iterdir())
    with person("review", "decide", "1", "all") as ada:
        assert ada.ended() == 0 and "applied 6" in ada.said
    assert "- Units stay metric." in (vault / "pump-manual.md").read_text("utf-8")
    assert run("import", DATA / "claude").endswith("Nothing new to decide.\n")
    assert "(import) via terminal" in run("history")
    back = run("undo", "1")
    assert back.startswith("took back entry 1 of proposal 1, ")
    assert "user:ada:ada-translates: 1 memory is gone\n" in back
    assert "that is entry 7" in back


def test_a_program_reads_the_import_as_json(vault: Path) -> None:
    dry = document("import", DATA / "mem0" / "get_all.json", "--dry-run")
    assert dry["kind"] == "mem0" and dry["statements"] == 3 and dry["stored"] is False
    assert len(dry["proposal"]["items"]) == 2
    stored = document("import", DATA / "mem0" / "get_all.json")
    assert stored["stored"] and stored["proposal"]["routine"] == "import"


def test_a_project_s_rules_are_of_the_project(vault: Path) -> None:
    items = document("import", DATA / "project", "--scope", "github.com/acme/shop", "--dry-run")
    assert items["proposal"]["scope"] == "github.com/acme/shop"
    assert items["proposal"]["items"][0]["detail"]["scope"] == ["project:github.com/acme/shop"]


def test_instructions_in_a_client_s_folder_hold_everywhere(vault: Path, tmp_path: Path) -> None:
    folder = tmp_path / "user" / ".claude"
    folder.mkdir(parents=True)
    (folder / "CLAUDE.md").write_text("- Answer briefly.\n")
    items = document("import", folder / "CLAUDE.md", "--dry-run")["proposal"]["items"]
    assert [item["target"] for item in items] == ["MEMORY.md"]


@pytest.mark.parametrize(
    ("folder", "what"),
    [("obsidian", "an Obsidian vault"), ("basic-memory", "a basic-memory folder")],
)
def test_a_vault_of_another_tool_is_named_and_left_alone(
    vault: Path, folder: str, what: str
) -> None:
    said = run("import", DATA / folder)
    assert what in said and f'wellkept init "{DATA / folder}"' in said
    assert document("review", "list") == {"proposals": []}


def test_without_a_vault_the_remedy_is_named(tmp_path: Path) -> None:
    assert "wellkept init FOLDER" in run("import", DATA / "claude", code=1)
    assert "there is no" in run("import", tmp_path / "gone", code=1)
    assert "there is no kind 'evernote'" in run(
        "import", DATA / "claude", "--from", "evernote", code=1
    )


def test_everything_goes_out_and_into_an_empty_home(vault: Path, tmp_path: Path) -> None:
    (vault / "topic.md").write_text("- A fact.\n")
    run("remember", "cats", "--description", "Two cats", "--content", "Two cats.")
    assert "1 memories, 1 notes" in run("export", tmp_path / "out")
    new = {"WELLKEPT_HOME": str(tmp_path / "new"), "WELLKEPT_VAULT": str(tmp_path / "new vault")}
    assert "would be restored" in run("import", tmp_path / "out", "--dry-run", **new)
    assert document("import", tmp_path / "out", **new)["notes"] == 1
    assert (tmp_path / "new vault" / "topic.md").read_text() == "- A fact.\n"
    assert document("memories", **new) == document("memories")
    assert "is not empty" in run("import", tmp_path / "out", code=1, **new)
    assert "is not empty" in run("export", tmp_path / "out", code=1)
