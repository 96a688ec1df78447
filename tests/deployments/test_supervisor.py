"""Children are kept alive, logs stay short, and nothing of a dead supervisor is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from deployments import children, supervisor
from deployments.children import Child, State
from deployments.supervisor import Supervisor
from memory_core.errors import Conflict, Permanent, SettingsError
from memory_core.server.client import Client
from memory_core.server.lock import identity, is_alive


def child(name: str, program: str) -> Child:
    return Child(name, [sys.executable, "-I", "-c", program], lambda: State(True, f"{name} ready"))


def eventually(look: Callable[[], object], seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not look():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_child_that_dies_is_started_again_and_waits_longer_each_time(home: Path) -> None:
    dying = child("dying", "print('born', flush=True)")
    waits = []
    while len(waits) < 4:
        if dying.tend():
            waits.append(dying.wait)
        time.sleep(0.005)
    assert dying.process and dying.process.wait(20) == 0
    assert dying.log.read_text().splitlines() == ["born"] * 4
    assert waits == [waits[0], waits[0] * 2, waits[0] * 4, waits[0] * 8]
    assert dying.identity()["deaths"] == 3


def test_the_log_is_rotated_under_a_living_child(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(children, "LOG_BYTES", 1000)
    writing = child("writing", "while True: input(); print('x' * 200, flush=True)")
    writing.log.parent.mkdir()
    for _ in range(6):
        writing.log.write_text("y" * 2000)
        writing.rotate()
    kept = sorted(file.name for file in writing.log.parent.iterdir())
    assert kept == ["writing.log", "writing.log.1", "writing.log.2", "writing.log.3"]
    assert writing.log.read_text() == ""


def test_a_signal_ends_all_children_and_leaves_no_state(home: Path) -> None:
    program = f"""
import threading
from deployments import supervisor
from deployments.children import Child, State
def kept(_settings):
    sleep = [{sys.executable!r}, "-I", "-c", "import time; time.sleep(600)"]
    return [Child(name, sleep, lambda: State(True, "ready")) for name in ("a", "b")]
supervisor.children = kept
supervisor.run(lambda line: print(line, flush=True))
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout and process.stdout.readline() == b"ready\n"
        eventually(lambda: len(json.loads((home / "supervisor.json").read_text())) == 2)
        rows = json.loads((home / "supervisor.json").read_text())
        alive = [identity(row["pid"]) for row in rows]
        with pytest.raises(Conflict, match=f"running already, as process {process.pid}"):
            supervisor.run(print)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    assert not any(map(is_alive, alive)) and not (home / "supervisor.json").exists()


def test_children_of_a_killed_supervisor_are_ended_and_strangers_are_not(home: Path) -> None:
    sleeping = [sys.executable, "-I", "-c", "import time; time.sleep(600)"]
    orphan, stranger = subprocess.Popen(sleeping), subprocess.Popen(sleeping)
    rows = [{"name": "server", **identity(orphan.pid)}]
    rows += [{"name": "old", "pid": stranger.pid, "started": "an earlier boot 17"}]
    (home / "supervisor.json").write_text(json.dumps(rows))
    said: list[str] = []
    reaper = threading.Thread(target=orphan.wait)
    reaper.start()
    assert supervisor.stop(said.append) and said == ["stopped"]
    reaper.join(20)
    assert orphan.returncode == -signal.SIGTERM and stranger.poll() is None
    stranger.kill()
    stranger.wait()
    assert not supervisor.stop(said.append) and said[-1] == "nothing was running"


@pytest.mark.parametrize("damage", ["", "{", "[3]", '{"pid": 1}', '[{"pid": "x"}]', "\x00"])
def test_a_damaged_state_file_is_no_obstacle(home: Path, damage: str) -> None:
    (home / "supervisor.json").write_text(damage)
    (home / "supervisor.lock").write_text(damage)
    assert not supervisor.stop(lambda _: None)


def test_a_child_that_ignores_the_polite_signal_is_killed(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "_PATIENCE", 0.3)
    program = "import signal, time; signal.signal(15, signal.SIG_IGN); print(1, flush=True)"
    stubborn = child("stubborn", f"{program}; time.sleep(600)")
    kept = Supervisor([stubborn], lambda _: None)
    stubborn.start()
    eventually(lambda: stubborn.log.read_text() == "1\n")
    kept._record()
    threading.Thread(target=stubborn.process.wait).start()  # type: ignore[union-attr]
    supervisor.stop(lambda _: None)
    assert stubborn.process and stubborn.process.wait(20) == -signal.SIGKILL


def wellkept(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", "-m", "memory_core", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=110, check=False)


def test_up_survives_kill_9_of_either_process_and_down_ends_all(home: Path, tmp_path: Path) -> None:
    vault = tmp_path / "vault ø"
    vault.mkdir()
    (vault / "note.md").write_text("# Crane\n\nThe crane lifts 40 tons.\n", "utf-8")
    assert wellkept("init", str(vault)).returncode == 0
    try:
        first = wellkept("up", "--detach")
        assert first.returncode == 0, first.stderr
        assert first.stdout.splitlines()[-1] == "memory server: ready, 1 notes"
        pid = Client(20).call("/health")["pid"]
        os.kill(pid, signal.SIGKILL)
        again = wellkept("up", "--detach")
        assert again.stdout.splitlines()[0] == "wellkept is running already"
        assert again.stdout.splitlines()[-1] == "memory server: ready, 1 notes"
        assert Client(20).call("/health")["pid"] != pid
        assert Client(20).call("/readings")["restarts"] == 1
        os.kill(json.loads((home / "supervisor.lock").read_text())["pid"], signal.SIGKILL)
        assert Client(20).call("/health")["status"] == "ready"
    finally:
        ended = wellkept("down")
    assert (ended.returncode, ended.stdout) == (0, "stopped\n")
    assert not supervisor.lock().held() and wellkept("down").stdout == "nothing was running\n"


def test_up_without_a_vault_fails_in_one_line_and_leaves_the_reason(home: Path) -> None:
    up = wellkept("up", "--detach")
    assert up.returncode == 1 and "wellkept init VAULT" in up.stderr
    assert len(up.stderr.splitlines()) == 1
    assert wellkept("down").stdout == "stopped\n"


def test_a_wrong_setting_is_shown_by_up(home: Path) -> None:
    (home / "config.toml").write_text('threads = "many"\n')
    with pytest.raises(Permanent, match="threads"):
        supervisor.run_detached(lambda _: None)
    assert not supervisor.lock().held()


def test_a_server_that_dies_at_once_ends_the_waiting_with_its_last_words(home: Path) -> None:
    (home / "server.sock").mkdir()
    try:
        with pytest.raises(Permanent, match=r"server dies at once: .*is no socket"):
            supervisor.run_detached(lambda _: None)
    finally:
        wellkept("down")


def test_a_panel_that_does_not_hold_is_refused_before_anything_is_started(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_a_wrong_panel(monkeypatch)
    with pytest.raises(SettingsError, match="both made by openai"):
        supervisor.run_detached(lambda _line: None)
    assert not supervisor.lock().held() and not list(home.iterdir())


def test_a_panel_that_does_not_hold_costs_the_routines_and_not_recall(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_a_wrong_panel(monkeypatch)
    kept: list[bool] = []
    monkeypatch.setattr(supervisor, "children", lambda settings: [kept.append(settings.routines)])
    monkeypatch.setattr(Supervisor, "run", lambda _: None)
    told: list[str] = []
    supervisor.run(told.append)
    assert kept == [False] and "both made by openai" in told[0]


def with_a_wrong_panel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WELLKEPT_ROUTINES", "true")
    monkeypatch.setenv("WELLKEPT_PANEL_MODELS", '["openai/gpt-4.1", "azure/gpt-4.1-mini"]')
