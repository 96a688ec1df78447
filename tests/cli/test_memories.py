"""Memory commands: twins of the tools, for people and for programs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from memory_core.cli import main


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, outside git."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("WELLKEPT_USER", "ada")
    for mark in ("CLAUDECODE", "AI_AGENT"):
        monkeypatch.delenv(mark, raising=False)
    return folder


class Shell:
    """Runs `wellkept` in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def __call__(self, *arguments: str, code: int = 0) -> str:
        self._monkeypatch.setattr(sys, "argv", ["wellkept", *arguments])
        try:
            main()
            ended: Any = 0
        except SystemExit as exit:
            ended = exit.code or 0
        out, err = self._capsys.readouterr()
        assert ended == code, err
        assert "Traceback" not in err
        return out if code == 0 else err

    def json(self, *arguments: str) -> Any:
        return json.loads(self(*arguments, "--json"))


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


def _remember(shell: Shell, key: str, *more: str, content: str = "A fact.") -> Any:
    return shell.json("remember", key, "--description", "a line", "--content", content, *more)


def test_a_memory_is_written_found_listed_shown_forgotten_and_brought_back(shell: Shell) -> None:
    made = _remember(shell, "Prefers Norwegian", content="Skriv på bokmål.")
    assert (made["action"], made["id"].split(":")[-1]) == ("add", "prefers-norwegian")
    found = shell.json("recall-memories", "bokmal")
    assert [memory["content"] for memory in found["memories"]] == ["Skriv på bokmål."]
    assert '{"key": "prefers-norwegian", "description": "a line"}' in shell("digest")
    assert shell.json("digest")["lines"][0]["key"] == "prefers-norwegian"
    assert "prefers-norwegian (private" in shell("memories")
    number = int(shell("forget", "PREFERS_NORWEGIAN").rsplit(" ", 1)[-1])
    assert shell.json("memories")["memories"] == []
    undone = shell.json("undo", str(number))
    assert undone["memory"]["content"] == "Skriv på bokmål."
    entries = shell.json("history")["entries"]
    assert [(entry["action"], entry["actor"]) for entry in entries] == [
        ("add", "user"), ("forget", "user"), ("add", "user"),
    ]  # fmt: skip
    assert entries[0]["undoes"] == number
    assert f"undoes {number}" in shell("history")


@pytest.mark.parametrize("text", ["use C# #1 rule: a: b", "- leading", "--flag", "'", "ø 😀 ‘"])
def test_any_text_round_trips(shell: Shell, text: str) -> None:
    shell("remember", "k", f"--description={text}", f"--content={text}")
    (memory,) = shell.json("memories")["memories"]
    assert (memory["description"], memory["content"]) == (text, text)
    assert shell.json("digest")["lines"] == [{"key": "k", "description": text}]


def test_bytes_that_are_no_text_never_end_in_a_traceback(shell: Shell) -> None:
    odd = "\udcff\udcfe"  # what Python makes of the bytes FF FE on a command line
    _remember(shell, f"k{odd}", "--scope", f"s{odd}", content=f"c{odd}")
    shell("recall-memories", odd, "--scope", f"s{odd}")
    assert shell.json("history", f"x{odd}") == {"entries": []}
    assert shell.json("remap", f"s{odd}", f"t{odd}")["moved"] == 1
    shell("forget", "k", "--scope", f"t{odd}", "--reason", f"why\x1b[31m{odd}")
    assert "\x1b" not in shell.json("history")["entries"][0]["reason"]
    assert "no letter" in shell("forget", odd, code=1)


def test_references_and_tags_say_where_a_memory_applies(
    shell: Shell, home: Path, project: Path
) -> None:
    file = home / "ontology.toml"
    file.write_text(
        '[[instance]]\nkind = "domain"\nid = "finance"\n'
        '[[instance]]\nkind = "entity"\nid = "invoice"\nparent = "finance"\n'
    )
    (home / "config.toml").write_text(f'ontology = "{file}"\n')
    _remember(shell, "walled", "--ref", "project:P", "--ref", "item:A", "--ref", "item:B")
    _remember(shell, "tagged", "--tag", "domain:finance")
    assert shell.json("digest")["lines"] == []
    here = ("--ref", "project:P", "--ref", "item:B", "--tag", "entity:invoice")
    assert [line["key"] for line in shell.json("digest", *here)["lines"]] == ["walled", "tagged"]
    listed = {memory["key"]: memory["applies"] for memory in shell.json("memories")["memories"]}
    assert listed == {"walled": False, "tagged": False}
    assert "(does not apply here)" in shell("memories")
    _remember(shell, "walled", "--everywhere")
    assert [line["key"] for line in shell.json("digest")["lines"]] == ["walled"]
    assert "nearest are" in shell("digest", "--tag", "entity:invoce", code=1)


def test_users_and_scopes_are_apart(shell: Shell) -> None:
    _remember(shell, "mine", "--user", "bob:x", "--scope", "shop")
    _remember(shell, "ours", "--scope", "shop", "--bank", "shared")
    _remember(shell, "anywhere", "--bank", "global")
    there = [memory["key"] for memory in shell.json("memories", "--scope", "shop")["memories"]]
    assert there == ["ours", "anywhere"]
    bob = shell.json("memories", "--user", "bob:x", "--scope", "shop")["memories"]
    assert [memory["id"] for memory in bob] == ["user:bob%3Ax:shop:mine", "scope:shop:ours"] or [
        memory["id"] for memory in bob
    ] == ["scope:shop:ours", "user:bob%3Ax:shop:mine"]


def test_an_editor_does_not_overwrite_a_newer_text(shell: Shell) -> None:
    version = str(_remember(shell, "k", content="one")["version"])
    _remember(shell, "k", content="two")
    changed = ("--description", "d", "--content", "three", "--if-version", version)
    assert f"not {version}" in shell("remember", "k", *changed, code=1)
    assert f"not {version}" in shell("forget", "k", "--if-version", version, code=1)
    assert "it was: two" in shell("remember", "k", *changed[:4])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("remember", "k", "--description", "d", "--content", "x" * 2001), "2001 characters"),
        (("remember", "k", "--description", "d", "--content", "x", "--ref", "banana:1"), "banana"),
        (("remember", "k", "--description", "d", "--content", "x", "--ref", "item"), "type:id"),
        (("remember", "!!", "--description", "d", "--content", "x"), "no letter"),
        (("remember", "k", "--description", "d", "--content", "x", "--bank", "y"), "no bank"),
        (("forget", "nothing"), "no memory has the key nothing"),
        (("undo", "7"), "no entry 7"),
        (("remap", "a", "b"), "holds a memory"),
        (("digest", "--user", ""), "user is empty"),
    ],
)
def test_an_expected_error_is_one_line(shell: Shell, arguments: tuple[str, ...], said: str) -> None:
    err = shell(*arguments, code=1)
    assert said in err
    assert err.startswith("wellkept: ")
    assert err.count("\n") == 1


def test_content_may_come_from_standard_input(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    import io

    monkeypatch.setattr(sys, "stdin", io.StringIO("line one\nline two\n"))
    shell("remember", "k", "--description", "d", "--content", "-")
    assert shell.json("memories")["memories"][0]["content"] == "line one\nline two"


def test_an_agents_shell_is_not_the_user(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    _remember(shell, "k")
    assert shell.json("history")["entries"][0]["actor"] == "agent"


def test_remap_takes_a_folder_for_its_scope(shell: Shell, project: Path, tmp_path: Path) -> None:
    _remember(shell, "k", "--scope", "old-name")
    moved = shell.json("remap", "old-name", str(project))
    assert moved == {"from": "old-name", "to": str(project.resolve()), "moved": 1}
    assert [memory["key"] for memory in shell.json("memories")["memories"]] == ["k"]


def test_a_folder_that_is_gone_and_a_file_that_is_no_database_are_named(
    shell: Shell, project: Path, home: Path
) -> None:
    (home / "wellkept.sqlite").write_bytes(b"not a database at all" * 100)
    assert "not a database" in shell("digest", code=1)
    project.rmdir()
    assert "current folder is gone" in shell("digest", code=1)
