"""Generated units start the right program for the right state folder, whatever its name."""

from __future__ import annotations

import os
import plistlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from deployments import service

ODD = [
    "plain",
    "with space",
    "æøå 中文",
    'quo"te',
    "dollar$HOME",
    "percent%h",
    "back\\slash",
    "a'b",
]


@pytest.fixture(params=ODD)
def odd_home(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> str:
    folder = tmp_path / request.param / "home"
    folder.mkdir(parents=True)
    monkeypatch.setenv("WELLKEPT_HOME", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / request.param / "config"))
    return str(folder)


def unescaped(word: str, *, command: bool) -> str:
    """What systemd makes of a quoted word, by its manual."""
    assert word[0] == word[-1] == '"'
    word = word[1:-1].replace("%%", "%")
    word = word.replace("$$", "$") if command else word
    return word.replace('\\"', '"').replace("\\\\", "\\")


def test_a_systemd_unit_names_home_and_program_exactly(odd_home: str) -> None:
    lines = service.unit("linux").text.splitlines()
    (home,) = [line.removeprefix("Environment=") for line in lines if line.startswith("Env")]
    assert unescaped(home, command=False) == f"WELLKEPT_HOME={odd_home}"
    (command,) = [line.removeprefix("ExecStart=") for line in lines if line.startswith("Exec")]
    words = [unescaped(f'"{word}"', command=True) for word in command[1:-1].split('" "')]
    assert words == [sys.executable, "-I", "-m", "memory_core", "up"]


def test_systemd_finds_no_fault_in_a_unit(odd_home: str) -> None:
    analyze = shutil.which("systemd-analyze")
    if not analyze:
        pytest.skip("no systemd-analyze on this system")
    made = service.unit("linux")
    made.file.parent.mkdir(parents=True)
    made.file.write_text(made.text, "utf-8")
    runtime = Path(odd_home) / "runtime"
    runtime.mkdir()
    done = subprocess.run(
        [analyze, "--user", "verify", "--man=no", "--recursive-errors=no", str(made.file)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=os.environ | {"XDG_RUNTIME_DIR": str(runtime)},
    )
    assert not [line for line in done.stderr.splitlines() if made.file.name in line]


def test_a_launchd_agent_names_home_and_program_exactly(odd_home: str) -> None:
    agent = plistlib.loads(service.unit("darwin").text.encode())
    assert agent["EnvironmentVariables"] == {"WELLKEPT_HOME": odd_home}
    assert agent["ProgramArguments"] == [sys.executable, "-I", "-m", "memory_core", "up"]
    assert agent["KeepAlive"] and agent["RunAtLoad"]


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_without_the_systems_command_the_file_is_written_and_the_rest_is_said(
    home: Path, platform: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(home))
    made = service.unit(platform)
    said = service.install(made)
    assert made.file.read_text("utf-8") == made.text
    assert said[0] == f"wrote {made.file}" and "not found on this system" in said[1]
    assert said[2].startswith("run yourself: ") and made.on[-1][-1] in said[2]
    assert service.install(made)[0] == f"{made.file} is there already"
    assert service.uninstall(made)[-1] == f"removed {made.file}"
    assert service.uninstall(made) == [f"{made.file} is not there"]
    assert service.pause(made) == ""


def test_the_systems_command_is_asked_in_order(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, control = tmp_path / "log", tmp_path / "bin" / "systemctl"
    control.parent.mkdir()
    control.write_text(f'#!/bin/sh\necho "$@" >> "{log}"\n')
    control.chmod(0o755)
    monkeypatch.setenv("PATH", f"{control.parent}:/usr/bin:/bin")
    made = service.unit("linux")
    service.install(made)
    assert service.pause(made)
    service.uninstall(made)
    name = made.file.name
    assert log.read_text().splitlines() == [
        "--user daemon-reload",
        f"--user enable --now {name}",
        f"--user stop {name}",
        f"--user disable --now {name}",
    ]


def test_only_a_state_folder_of_its_own_gets_a_unit_of_its_own(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = service.unit("linux").file.name
    monkeypatch.setenv("WELLKEPT_HOME", str(Path.home() / ".wellkept"))
    assert service.unit("linux").file.name == "wellkept.service" != own
