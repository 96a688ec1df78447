"""A dream killed between its approval and its bookmark: applied once, and the bookmark right."""

from __future__ import annotations

import random
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_core.proposals import bookmark
from memory_core.proposals.decision import Decision, decide
from memory_core.settings import Settings
from memory_core.store.database import Database
from tests import stores
from tests.proposals import killing
from tests.proposals.conftest import NOTE, Place, add, git_in, revise

SUBJECT = "/notes (ada)"
UNTIL = 412


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A dream's proposal that is approved and of which nothing is written."""
    folder = tmp_path_factory.mktemp("dreamt")
    root, home = folder / "vault", folder / "home"
    root.mkdir()
    home.mkdir(mode=0o700)
    database = Database(stores.of(home))
    place = Place(database, root, Settings(vault=root, user="ada"))
    place.write("alpha.md", NOTE)
    git = git_in(root)
    git("init", "-q", "-b", "main")
    for name, value in (("user.name", "Ada"), ("user.email", "ada@example.org")):
        git("config", name, value)
    git("add", "-A")
    git("commit", "-q", "-m", "begin")
    proposal = place.offer(
        revise("alpha.md", "- two", "- two, three since May"),
        add("release.md", "# Release\n\n1. build\n2. push\n3. tell"),
        routine="dream", subject=SUBJECT, since=7, until=UNTIL,
    )  # fmt: skip
    assert len(proposal.open) == 2
    decide(database, proposal.id, Decision("apply all"))
    database.close()
    yield folder


def applied_once(home: Path, root: Path) -> None:
    """Everything is there once, and the bookmark stands at the window's end."""
    database = Database(stores.of(home))
    place = Place(database, root, Settings(vault=root, user="ada"))
    proposal = place.get(1)
    assert proposal.state == "applied"
    assert {item.state for item in proposal.items} == {"applied"}
    assert len(place.entries()) == 2
    assert bookmark.position(database, "dream", SUBJECT) == UNTIL
    assert place.read("alpha.md").count("- two, three since May\n") == 1
    assert place.read("release.md").count("\n1. build\n") == 1
    assert git_in(root)("log", "--format=%s").count("Apply proposal 1") == 1
    database.close()


def killed(waiting: Path, folder: Path, after_s: float) -> bool:
    """Kill the applying process so long after its start; whether it was still at work."""
    stores.copy(waiting, folder)
    home, root = folder / "home", folder / "vault"
    process = killing.start(home, root, 1)
    time.sleep(after_s)
    process.kill()
    process.join(60)
    assert killing.run(home, root, 1, what="drain") == 0
    applied_once(home, root)
    shutil.rmtree(folder)
    return bool(process.exitcode == -signal.SIGKILL)


@pytest.fixture(scope="module")
def whole_s(waiting: Path, tmp_path_factory: pytest.TempPathFactory) -> float:
    """Seconds that an undisturbed run takes."""
    folder = tmp_path_factory.mktemp("whole") / "copy"
    stores.copy(waiting, folder)
    began = time.monotonic()
    assert killing.run(folder / "home", folder / "vault", 1) == 0
    applied_once(folder / "home", folder / "vault")
    return time.monotonic() - began


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_killed_at_some_instant_it_is_applied_once(
    waiting: Path, tmp_path: Path, whole_s: float, share: float
) -> None:
    killed(waiting, tmp_path / "copy", share * whole_s)


@pytest.mark.e2e
@pytest.mark.timeout(3600)
def test_killed_at_a_hundred_random_instants_it_is_applied_once(
    waiting: Path, tmp_path: Path, whole_s: float
) -> None:
    instants, hits = random.Random(7), 0
    for _ in range(1000):
        hits += killed(waiting, tmp_path / "copy", instants.uniform(0, whole_s))
        if hits == 100:
            return
    raise AssertionError(f"only {hits} kills came before the end")
