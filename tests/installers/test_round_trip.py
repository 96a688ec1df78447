"""Whatever a client's file looks like, ours goes in, changes nothing else, and comes out."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from memory_core.errors import Conflict, WellkeptError
from memory_core.hooks.clients import NAMES
from memory_core.installers import change, hook_entries
from memory_core.installers.client import client, hook_command
from memory_core.installers.json_text import JsonText
from tests.installers.conftest import install, sources, uninstall
from tests.installers.places import DATA, odd_files, placed, tree

ODD = odd_files()
REFUSED = odd_files(DATA / "refused")


def read(folder: str, file: Path) -> Any:
    """What a file says, in whatever format."""
    text = file.read_bytes().decode("utf-8-sig")
    if file.suffix == ".toml":
        return tomllib.loads(text)
    comments = folder in ("gemini", "opencode")
    return JsonText(text if text.strip() else "{}", comments=comments).document


def without_ours(document: Any) -> Any:
    """A document without our entries, and without empty containers."""
    if isinstance(document, dict):
        kept = {name: without_ours(value) for name, value in document.items() if name != "wellkept"}
        return {name: value for name, value in kept.items() if value not in ({}, [])}
    if isinstance(document, list):
        kept_items = [without_ours(one) for one in document if not hook_entries.is_ours(one)]
        return [one for one in kept_items if one not in ({}, [])]
    return document


@pytest.mark.parametrize(("folder", "file"), ODD, ids=lambda one: getattr(one, "name", one))
def test_an_odd_file_comes_back_to_the_byte(folder: str, file: Path, user: Path) -> None:
    name, target = placed(folder, file, user)
    before, said = tree(user), read(folder, file)
    assert install(name)
    assert target.read_bytes() != file.read_bytes()
    assert without_ours(read(folder, target)) == without_ours(said)
    assert not install(name)
    assert uninstall(name)
    assert tree(user) == before
    assert not uninstall(name)


@pytest.mark.parametrize(("folder", "file"), ODD, ids=lambda one: getattr(one, "name", one))
def test_line_ends_comments_and_order_stay(folder: str, file: Path, user: Path) -> None:
    _, target = placed(folder, file, user)
    install(placed(folder, file, user)[0])
    old, new = file.read_bytes(), target.read_bytes()
    assert new.startswith(b"\xef\xbb\xbf") == old.startswith(b"\xef\xbb\xbf")
    if b"\r\n" in old:
        assert b"\r\n" in new and not re.search(rb"(?<!\r)\n", new)
    position = 0
    for word in re.findall(rb"//[^\n]*|#[^\n]*|\"(?:[^\"\\\n]|\\.)*\"", old):
        position = new.index(word.rstrip(), position)


@pytest.mark.parametrize(("folder", "file"), REFUSED, ids=lambda one: getattr(one, "name", one))
def test_a_file_that_is_not_understood_is_refused_named_and_left(
    folder: str, file: Path, user: Path
) -> None:
    name, target = placed(folder, file, user)
    before = tree(user)
    with pytest.raises(WellkeptError) as refused:
        install(name)
    assert str(target) in refused.value.message and refused.value.remedy
    assert "nothing was changed" in refused.value.message
    assert tree(user) == before


@pytest.mark.parametrize("name", NAMES)
def test_a_client_that_was_never_started_gets_files_that_go_again(name: str, user: Path) -> None:
    assert install(name)
    for part in client(name).parts(sources()):
        assert stat.S_IMODE(part.file.stat().st_mode) == 0o600
    assert uninstall(name)
    assert tree(user) == {}


@pytest.mark.parametrize("name", NAMES)
def test_what_others_wrote_meanwhile_stays(name: str, user: Path) -> None:
    install(name)
    for part in client(name).parts(sources()):
        text = part.file.read_text("utf-8")
        if part.file.suffix == ".toml":
            part.file.write_text(f'{text}\n[hooks.state."x"]\ntrusted_hash = "sha256:1"\n', "utf-8")
        elif part.file.suffix == ".json":
            document = json.loads(text)
            other = {"hooks": [{"command": "other"}]}
            document.setdefault("hooks", {}).setdefault("Stop", []).append(other)
            document["numStartups"] = 7
            part.file.write_text(json.dumps(document), "utf-8")
    uninstall(name)
    for part in client(name).parts(sources()):
        if part.file.suffix == ".toml":
            assert tomllib.loads(part.file.read_text()) == {
                "hooks": {"state": {"x": {"trusted_hash": "sha256:1"}}}
            }
        elif part.file.suffix == ".json":
            left = json.loads(part.file.read_text("utf-8"))
            assert left == {
                "hooks": {"Stop": [{"hooks": [{"command": "other"}]}]}, "numStartups": 7,
            }  # fmt: skip


def test_a_hook_that_was_put_in_by_hand_is_taken_over_in_its_place(user: Path) -> None:
    settings = user / ".claude" / "settings.json"
    settings.parent.mkdir()
    old = {"type": "command", "command": "/old place/.venv/bin/wellkept-hook front", "timeout": 9}
    other = {"type": "command", "command": "other"}
    groups = [{"hooks": [old, other]}, {"hooks": [other]}]
    settings.write_text(json.dumps({"hooks": {"UserPromptSubmit": groups}}, indent=1), "utf-8")
    install("claude-code")
    first, second = json.loads(settings.read_text("utf-8"))["hooks"]["UserPromptSubmit"]
    assert [hook_entries.is_ours(one) for one in first["hooks"]] == [True, False]
    assert first["hooks"][0]["command"] == hook_command("claude-code", "front")
    assert second == {"hooks": [other]}


def test_what_a_person_added_to_our_entries_stays(user: Path) -> None:
    for name in ("claude-code", "codex"):
        install(name)
    servers, config = user / ".claude.json", user / ".codex" / "config.toml"
    document = json.loads(servers.read_text("utf-8"))
    document["mcpServers"]["wellkept"] |= {"env": {"A": "1"}, "command": "/old/wellkept"}
    servers.write_text(json.dumps(document), "utf-8")
    config.write_text(
        config.read_text("utf-8").replace("/bin/wellkept", "/old") + "enabled = false\n"
        '[mcp_servers.wellkept.env]\nA = "1"\n',
        "utf-8",
    )
    for name in ("claude-code", "codex"):
        assert install(name) and not install(name)
    server = json.loads(servers.read_text("utf-8"))["mcpServers"]["wellkept"]
    table = tomllib.loads(config.read_text("utf-8"))["mcp_servers"]["wellkept"]
    assert server["env"] == table["env"] == {"A": "1"} and table["enabled"] is False
    assert server["command"] == table["command"] == str(user / ".wellkept" / "bin" / "wellkept")
    for name in ("claude-code", "codex"):
        uninstall(name)
    assert not servers.exists() or "wellkept" not in servers.read_text("utf-8")
    assert not config.exists() or "wellkept" not in config.read_text("utf-8")


def test_another_tools_hooks_after_ours_do_not_move_ours(user: Path) -> None:
    install("codex")
    file = user / ".codex" / "hooks.json"
    document = json.loads(file.read_text("utf-8"))
    document["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "other"}]})
    file.write_text(json.dumps(document, indent=2), "utf-8")
    assert not install("codex")


def test_two_versions_share_one_place_and_the_last_one_counts(
    user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("claude-code")
    settings = (user / ".claude" / "settings.json").read_bytes()
    monkeypatch.setattr("sys.executable", str(tmp_path / "newer" / "bin" / "python"))
    assert install("claude-code")
    assert (user / ".claude" / "settings.json").read_bytes() == settings
    assert "/newer/bin/python" in (user / ".wellkept" / "bin" / "wellkept-hook").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "event"),
    [
        ("front --client claude-code", "UserPromptSubmit"),
        ("front --client gemini", "BeforeAgent"), ("session-start --client codex", "SessionStart"),
        ("back --client codex", ""), ("session-end --client gemini", ""),
    ],
)  # fmt: skip
def test_a_launcher_whose_version_is_gone_says_so(
    arguments: str, event: str, user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", str(tmp_path / "gone" / "python"))
    install("claude-code")
    command = hook_command("claude-code", arguments).removesuffix(" --client claude-code")
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=True)
    if not event:
        assert done.stdout == b""
        return
    output = json.loads(done.stdout)["hookSpecificOutput"]
    assert output["hookEventName"] == event
    assert output["additionalContext"].startswith("Memory unavailable: ")


def test_the_launcher_starts_the_hook_from_any_folder(user: Path, tmp_path: Path) -> None:
    install("claude-code")
    (tmp_path / "memory_core").mkdir()  # a trap: the interpreter must not look here
    (tmp_path / "memory_core" / "__init__.py").write_text("raise SystemExit(3)", "utf-8")
    done = subprocess.run(
        ["/bin/sh", "-c", hook_command("claude-code", "front")],
        input=b'{"hook_event_name": "UserPromptSubmit", "prompt": "x"}',
        capture_output=True, cwd=tmp_path, check=True, env={"PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert b"Memory unavailable: the memory server is not running" in done.stdout


def test_a_link_to_settings_elsewhere_stays_a_link(user: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_text("{}\n", "utf-8")
    real.chmod(0o644)
    (user / ".claude").mkdir()
    (user / ".claude" / "settings.json").symlink_to(real)
    install("claude-code")
    assert (user / ".claude" / "settings.json").is_symlink()
    assert "wellkept-hook" in real.read_text("utf-8")
    assert stat.S_IMODE(real.stat().st_mode) == 0o644
    uninstall("claude-code")
    assert real.read_text("utf-8") == "{}\n"


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_leaves_every_file_as_it_was(user: Path) -> None:
    (user / ".claude").mkdir(mode=0o500)
    before = tree(user)
    with pytest.raises(WellkeptError, match="cannot be written"):
        install("claude-code")
    assert tree(user) == before


@pytest.mark.parametrize("place", [".claude", ".wellkept"])
def test_a_place_that_cannot_be_written_is_named_and_nothing_is_done(
    place: str, user: Path
) -> None:
    (user / place).write_text("a file where a folder has to be", "utf-8")
    before = tree(user)
    with pytest.raises(WellkeptError) as refused:
        install("claude-code")
    assert str(user / place) in refused.value.message and refused.value.remedy
    assert tree(user) == before


def test_when_one_file_cannot_be_exchanged_none_is(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second file's place is taken by a folder while the first is exchanged."""
    (user / ".claude").mkdir()
    (user / ".claude" / "settings.json").write_text("{}", "utf-8")
    before = tree(user)
    exchange = change._exchange
    done: list[Path] = []

    def failing(one: change.Change, temporary: Path | None) -> None:
        if len(done) == 4:
            raise OSError(28, "No space left on device")
        done.append(one.file)
        exchange(one, temporary)

    monkeypatch.setattr(change, "_exchange", failing)
    with pytest.raises(WellkeptError, match="No space left on device; nothing was changed"):
        install("claude-code")
    assert {path: held for path, held in tree(user).items() if ".wellkept/" not in path} == before


def test_a_file_that_changes_between_plan_and_deed_is_left(user: Path) -> None:
    from memory_core.installers import install as by_hand

    (user / ".claude").mkdir()
    settings = user / ".claude" / "settings.json"
    settings.write_text("{}", "utf-8")
    plan = by_hand.install(client("claude-code"), sources())
    settings.write_text('{"model": "opus"}', "utf-8")
    with pytest.raises(Conflict, match="was changed meanwhile"):
        plan.apply()
    assert settings.read_text("utf-8") == '{"model": "opus"}'
    assert not (user / ".claude.json").exists()


def test_clients_come_and_go_one_by_one(user: Path) -> None:
    for name in NAMES:
        install(name)
    launchers = user / ".wellkept" / "bin"
    for name in NAMES:
        assert (launchers / "wellkept-hook").exists()
        uninstall(name)
    assert tree(user) == {}
