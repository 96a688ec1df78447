"""A consolidation killed between approval and end: applied once, its generation risen once."""

from __future__ import annotations

import random
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_core.banks.banks import open_banks
from memory_core.proposals import queue
from memory_core.proposals.decision import Decision, decide
from memory_core.routines import consolidating
from memory_core.settings import load
from memory_core.store import ledger, outbox
from memory_core.store.database import Database
from memory_core.testing import KEY, StubModel
from tests import stores
from tests.proposals import killing
from tests.routines.crowded import BANK, drops, fill, held, pair, plan

MERGES, DROPS = 4, 5


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A bank of 48, a plan of merges and drops approved whole, and a crossing meanwhile."""
    folder = tmp_path_factory.mktemp("consolidation")
    home, root = folder / "home", folder / "vault"
    home.mkdir(mode=0o700), root.mkdir()
    database = Database(stores.of(home))
    found = open_banks(load(user="ada"), database)
    fill(database, load(user="ada"), 48)
    memories = found.held([BANK])
    merges = [pair(memories[at], memories[at + 1]) for at in range(0, 2 * MERGES, 2)]
    reply = plan(merges, drops([memory.key for memory in memories[10 : 10 + DROPS]]))
    with StubModel(reply) as stub:
        settings = load(
            vault=root, user="ada", llm_model="openai/stub", llm_api_base=stub.url, llm_api_key=KEY
        )
        opened = consolidating.opened(settings, database, str(BANK))
        assert opened is not None
        proposal = consolidating.offer(settings, database, root, opened)
    assert len(proposal.open) == MERGES + DROPS
    fill(database, settings, 2, first=48)
    decide(database, proposal.id, Decision("apply all"), settings=settings)
    database.close()
    yield folder


def check_once(home: Path) -> None:
    database = Database(stores.of(home))
    settings = load(user="ada")
    proposal = queue.get(database, 1)
    assert proposal.state == "applied"
    assert {item.state for item in proposal.numbered} == {"applied"}
    state = open_banks(settings, database).state(BANK)
    assert (state.count, state.generation, state.latched) == (50 - MERGES - DROPS, 1, False)
    assert len(held(database, settings)) == state.count
    with database.read() as session:
        entries = [row for row in ledger.entries(session, limit=500) if row.proposal == "1"]
        owed = [row.key for row in outbox.pending(session, outbox.CONSOLIDATION)]
    assert len(entries) == 2 * MERGES + DROPS
    assert len({(row.action, row.target) for row in entries}) == len(entries)
    assert owed == [f"consolidation:{BANK}:{generation}" for generation in (0, 1)]
    database.close()


def kill_and_drain(prepared: Path, folder: Path, step: int) -> None:
    stores.copy(prepared, folder)
    home, root = folder / "home", folder / "vault"
    code = killing.run(home, root, 1, kill_at=step)
    assert code == -signal.SIGKILL, f"step {step} ended with {code}"
    assert killing.run(home, root, 1, what="drain") == 0
    check_once(home)
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def count(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> int:
    folder = tmp_path_factory.mktemp("whole") / "copy"
    stores.copy(prepared, folder)
    assert killing.run(folder / "home", folder / "vault", 1) == 0
    check_once(folder / "home")
    return killing.steps(folder / "home")


@pytest.mark.parametrize("part", range(6))
def test_killed_at_a_step_and_drained_it_ran_once(
    prepared: Path, tmp_path: Path, count: int, part: int
) -> None:
    kill_and_drain(prepared, tmp_path / "copy", 1 + part * (count - 1) // 5)


@pytest.mark.e2e
@pytest.mark.timeout(1800)
def test_killed_at_a_hundred_instants_and_drained_it_ran_once(
    prepared: Path, tmp_path: Path, count: int
) -> None:
    dice = random.Random(5)
    for _ in range(100):
        kill_and_drain(prepared, tmp_path / "copy", dice.randint(1, count))
