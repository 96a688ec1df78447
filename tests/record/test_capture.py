"""The capture process killed at any instant: nothing lost, nothing doubled."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memory_core.hooks import capturing, spool
from memory_core.record import capture
from memory_core.store.database import Database
from tests import stores
from tests.record.replay import conversation, hook, nobody_stores, recorded, said, stop, write

CAPTURE = [sys.executable, "-I", "-m", "memory_core.record"]


def _slow_capture(pause_ms: int) -> list[str]:
    """The capture process with a pause around each commit, so that kills find it at work."""
    code = (
        "import time, runpy, sys; from memory_core.record import reading, archive;"
        "commit, keep = reading._Reading._commit, archive._keep;"
        f"pause = lambda: time.sleep({pause_ms} / 1000);"
        "reading.BATCH = 3;"
        "reading._Reading._commit = lambda self, **k: (pause(), commit(self, **k), pause());"
        "archive._keep = lambda *a: (pause(), keep(*a))[1];"
        "runpy.run_module('memory_core.record', run_name='__main__')"
    )
    return [sys.executable, "-I", "-c", code]


def kill_again_and_again(folder: Path, home: Path, kills: int, seed: int) -> None:
    """Turns come in, hooks announce them, and the process that stores them is killed."""
    chance, store = random.Random(seed), Database(stores.configured())
    files = {name: folder / f"{name}.jsonl" for name in ("a", "b")}
    turns, at_work = dict.fromkeys(files, 0), 0
    for _ in range(kills):
        for name, file in files.items():
            more = chance.randint(1, 6)
            rows = conversation(more, first=turns[name])
            for one in rows:
                one["uuid"], one["sessionId"] = f"{name}-{one['uuid']}", name
            write(file, rows, append=True)
            turns[name] += more
            spool.put({
                "event": chance.choice(["back", "back", "session-end"]),
                "client": "claude-code", "session": name, "transcript": str(file),
                "cwd": "/home/user/project", "turn": "", "reason": "", "at": time.time(),
            })  # fmt: skip
        process = subprocess.Popen(_slow_capture(6), start_new_session=True)
        while process.poll() is None and capture.lock().holder().get("pid") != process.pid:
            time.sleep(0.002)
        time.sleep(chance.uniform(0.0, 0.8))
        process.send_signal(signal.SIGKILL)
        at_work += process.wait() == -signal.SIGKILL
    assert at_work >= kills // 4  # else it was killed while it loads, which proves little
    assert subprocess.run(CAPTURE, check=False).returncode == 0
    assert spool.names() == []
    for name, file in files.items():
        wanted = [("answered", f"request {turn}", f"reply {turn}") for turn in range(turns[name])]
        assert said(store, name) == wanted
        found = recorded(store, name)
        assert [one.turn for one in found] == list(range(1, turns[name] + 1))
        assert len({one.sequence for one in found}) == len(found)
        assert found[-1].end == file.stat().st_size
    store.close()


def test_killed_at_some_instants_nothing_is_lost_or_doubled(tmp_path: Path, home: Path) -> None:
    kill_again_and_again(tmp_path, home, kills=10, seed=1)


@pytest.mark.e2e
@pytest.mark.timeout(900)
def test_killed_at_a_hundred_instants_nothing_is_lost_or_doubled(
    tmp_path: Path, home: Path
) -> None:
    kill_again_and_again(tmp_path, home, kills=100, seed=2)


def test_what_comes_while_one_process_stores_is_stored_too(tmp_path: Path, home: Path) -> None:
    file = write(tmp_path / "t.jsonl", conversation(12))
    hook_payload = stop("s", file)
    with nobody_stores():
        hook("back", hook_payload)
    process = subprocess.Popen(_slow_capture(20), start_new_session=True)
    while not capturing.at_work():
        time.sleep(0.01)
    write(file, conversation(2, first=12), append=True)
    hook("back", hook_payload)  # finds a process at work and starts none
    assert process.wait(60) == 0
    assert len(said(Database(stores.configured()))) == 14
    assert spool.names() == []


@stores.sqlite_only
def test_a_second_process_gives_way(home: Path) -> None:
    with nobody_stores():
        assert subprocess.run(CAPTURE, check=False).returncode == 0
    assert not (home / "wellkept.sqlite").exists()


def test_wrap_drains_its_session_and_waits_for_whoever_stores(
    tmp_path: Path, database: Database
) -> None:
    files = [write(tmp_path / f"{name}.jsonl", conversation(1)) for name in ("s", "other")]
    with nobody_stores():
        hook("back", stop("s", files[0]))
        hook("back", stop("other", files[1]))
    assert capture.drain_session(database, "ada", "s").stored == 1
    assert len(spool.names()) == 1
    write(files[0], conversation(1, first=1), append=True)
    assert capture.drain_session(database, "ada", "s").stored == 1  # without a hook, too


def test_a_session_that_cannot_be_stored_hinders_no_other(
    tmp_path: Path, database: Database
) -> None:
    good = write(tmp_path / "good.jsonl", conversation(1))
    with nobody_stores():
        hook("back", stop("bad", tmp_path))
        spool.put({"event": "back", "client": "claude-code", "session": "worse", "cwd": "/x",
                   "transcript": "/proc/self/mem"})  # fmt: skip
        hook("back", stop("good", good))
        done = capture.drain(database, "ada")
    assert said(database, "good") == [("answered", "request 0", "reply 0")]
    assert done.stored >= 1 and len(done.problems) <= 1


def test_the_log_holds_no_word_of_a_session(tmp_path: Path, home: Path) -> None:
    (home / "config.toml").write_text('nonsense = "PGPASSWORD=hunter2"', "utf-8")
    with nobody_stores():
        hook("back", stop("s", write(tmp_path / "t.jsonl", conversation(1))))
    assert subprocess.run(CAPTURE, check=False).returncode == 1
    log = (home / "logs" / "record.log").read_text("utf-8")
    assert "nonsense" in log and "hunter2" not in log and "request 0" not in log
    assert len(spool.names()) == 1


def test_a_full_disk_keeps_what_waits(tmp_path: Path, home: Path, database: Database) -> None:
    file = write(tmp_path / "t.jsonl", conversation(50))
    with nobody_stores():
        hook("back", stop("s", file))
    code = (
        "import resource, signal, runpy; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000));"
        "runpy.run_module('memory_core.record', run_name='__main__')"
    )
    subprocess.run([sys.executable, "-I", "-c", code], check=False, capture_output=True)
    assert len(spool.names()) == 1 and said(database) == []
    assert subprocess.run(CAPTURE, check=False).returncode == 0
    assert len(said(database)) == 50 and spool.names() == []


def test_every_stored_exchange_names_its_project(tmp_path: Path, database: Database) -> None:
    project = tmp_path / "shop"
    (project / "deep").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    origin = "https://ada:t0ken@github.com/Acme/shop.git"
    subprocess.run(["git", "-C", str(project), "remote", "add", "origin", origin], check=True)
    file = write(tmp_path / "t.jsonl", conversation(1))
    with nobody_stores():
        hook("back", stop("s", file, cwd=str(project / "deep")))
        capture.drain(database, "ada")
    from memory_core.record import sessions

    [listed] = sessions.listed(database)
    assert listed.session.scope == "github.com/acme/shop" and listed.session.user == "ada"
    assert sessions.listed(database, scope="elsewhere") == []
