"""Exactly once: killed at any step and drained by another process, it is as if it ran once."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_core.banks.bank import BankId
from memory_core.banks.banks import open_banks
from memory_core.exporters import rows
from memory_core.proposals import bookmark
from memory_core.proposals.decision import Decision, decide
from memory_core.settings import Settings
from memory_core.store.database import Database
from tests import stores
from tests.proposals import killing
from tests.proposals.conftest import NOTE, Place, add, git_in, move, revise

LOADED = "# Always\n\n- keep it short\n- a long story about alpha\n"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A decided proposal over three files, a new one and two memories, in a vault with git."""
    folder = tmp_path_factory.mktemp("killed")
    root, home = folder / "vault", folder / "home"
    root.mkdir()
    home.mkdir(mode=0o700)
    database = Database(stores.of(home))
    place = Place(database, root, Settings(vault=root, user="ada"))
    for file, text in (("alpha.md", NOTE), ("MEMORY.md", LOADED), ("mine.md", "# Mine\n\n- a\n")):
        place.write(file, text)
    git = git_in(root)
    git("init", "-q", "-b", "main")
    for name, value in (("user.name", "Ada"), ("user.email", "ada@example.org")):
        git("config", name, value)
    git("add", "-A")
    git("commit", "-q", "-m", "begin")
    place.write("mine.md", "# Mine\n\n- a\n- b, not committed\n")
    place.write("staged.md", "# Staged\n\n- only staged\n")
    git("add", "staged.md")
    proposal = place.offer(
        add("alpha.md", "three is the limit"),
        revise("alpha.md", "- two", "- two, since May"),
        move("MEMORY.md", "- a long story about alpha", "alpha.md", kind="always-loaded"),
        add("deep/er/beta.md", "# Beta\n\n- new here"),
        add("user:ada:tea", "likes tea", detail={"description": "tea or coffee"}),
        add("user:ada:run", "runs tests with -x", detail={"description": "how tests run"}),
        since=0, until=40,
    )  # fmt: skip
    assert len(proposal.open) == 6
    decide(database, proposal.id, Decision("apply all"))
    database.close()
    yield folder


def again(prepared: Path, folder: Path) -> tuple[Path, Path]:
    stores.copy(prepared, folder)
    return folder / "home", folder / "vault"


def check_once(home: Path, root: Path) -> None:
    """Everything is there, once."""
    database = Database(stores.of(home))
    place = Place(database, root, Settings(vault=root, user="ada"))
    proposal = place.get(1)
    assert proposal.state == "applied"
    assert {item.state for item in proposal.items} == {"applied"}
    entries = place.entries()
    assert len(entries) == 6
    assert sorted(entry.id for entry in entries) == sorted(item.ledger for item in proposal.items)
    assert {
        memory.key for memory in open_banks(place.settings, database).held([BankId("ada", None)])
    } == {"tea", "run"}
    assert bookmark.position(database, "wrap", proposal.subject) == 40
    alpha = place.read("alpha.md")
    for line in ("- one\n", "- two, since May\n", "- three is the limit\n", "- a long story"):
        assert alpha.count(line) == 1
    assert place.read("MEMORY.md") == "# Always\n\n- keep it short\n"
    assert place.read("deep/er/beta.md").endswith("---\n\n# Beta\n\n- new here\n")
    assert not list(root.rglob(".wellkept-*"))
    check_git(root, proposal.commit)
    database.close()


def dump(home: Path) -> list[str]:
    database = Database(stores.of(home))
    with database.read() as session:
        told = [line for name in rows.names() for line in rows.lines(session, name)]
    database.close()
    return told


def check_git(root: Path, commit: str) -> None:
    git = git_in(root)
    assert git("log", "--format=%H", "--grep=Proposal-Id: 1-") == commit
    assert git("rev-parse", "HEAD") == commit
    assert git("log", "--format=%s").splitlines()[1:] == ["begin"]
    changed = git("show", "--name-only", "--format=", "HEAD").splitlines()
    assert changed == ["MEMORY.md", "alpha.md", "deep/er/beta.md"]
    assert git("status", "--porcelain").splitlines() == [" M mine.md", "A  staged.md"]
    assert git("fsck", "--no-dangling") == ""


def kill_and_drain(prepared: Path, folder: Path, step: int) -> None:
    home, root = again(prepared, folder)
    code = killing.run(home, root, 1, kill_at=step)
    assert code == -signal.SIGKILL, f"step {step} ended with {code}"
    assert killing.run(home, root, 1, what="drain") == 0
    check_once(home, root)
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def count(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> int:
    home, root = again(prepared, tmp_path_factory.mktemp("whole") / "copy")
    assert killing.run(home, root, 1) == 0
    check_once(home, root)
    return killing.steps(home)


def test_a_repeated_apply_changes_nothing(prepared: Path, tmp_path: Path) -> None:
    home, root = again(prepared, tmp_path / "copy")
    assert killing.run(home, root, 1) == 0
    stored = dump(home)
    assert killing.run(home, root, 1) == 0
    assert killing.run(home, root, 1, what="drain") == 0
    assert dump(home) == stored
    check_once(home, root)


@pytest.mark.parametrize("part", range(16))
def test_killed_at_a_step_and_drained_it_ran_once(
    prepared: Path, tmp_path: Path, count: int, part: int
) -> None:
    kill_and_drain(prepared, tmp_path / "copy", 1 + part * (count - 1) // 15)


@pytest.mark.e2e
@pytest.mark.timeout(1200)
def test_killed_at_every_step_and_drained_it_ran_once(
    prepared: Path, tmp_path: Path, count: int
) -> None:
    for step in range(1, count + 1):
        kill_and_drain(prepared, tmp_path / "copy", step)


def test_killed_twice_it_still_ran_once(prepared: Path, tmp_path: Path, count: int) -> None:
    home, root = again(prepared, tmp_path / "copy")
    assert killing.run(home, root, 1, kill_at=count // 2) == -signal.SIGKILL
    assert killing.run(home, root, 1, kill_at=count // 4) == -signal.SIGKILL
    assert killing.run(home, root, 1, what="drain") == 0
    check_once(home, root)


def test_two_processes_that_apply_at_once_apply_once(prepared: Path, tmp_path: Path) -> None:
    home, root = again(prepared, tmp_path / "copy")
    both = [killing.start(home, root, 1) for _ in range(2)]
    for process in both:
        process.join(60)
    assert [process.exitcode for process in both] == [0, 0]
    check_once(home, root)


@pytest.mark.parametrize("part", range(5))
def test_an_undo_that_is_killed_ran_once_or_not_at_all(
    prepared: Path, tmp_path: Path, part: int
) -> None:
    home, root = again(prepared, tmp_path / "copy")
    assert killing.run(home, root, 1) == 0
    database = Database(stores.of(home))
    place = Place(database, root, Settings(vault=root, user="ada"))
    (moved,) = place.entries("MEMORY.md")
    assert moved.id is not None
    code = killing.run(home, root, moved.id, kill_at=(3, 12, 25, 40, 55)[part], what="undo")
    assert code == -signal.SIGKILL
    assert killing.run(home, root, 1, what="drain") == 0
    undone = len(place.entries()) == 7
    assert place.read("MEMORY.md") == (LOADED if undone else "# Always\n\n- keep it short\n")
    assert ("a long story" in place.read("alpha.md")) is not undone
    git = git_in(root)
    assert len(git("log", "--format=%H", "--grep=Undo-Id:").splitlines()) == undone
    assert git("status", "--porcelain").splitlines() == [" M mine.md", "A  staged.md"]
    database.close()
