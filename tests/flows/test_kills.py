"""Killed at any instant between the answer and the commit, a run ends as if it ran once."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlmodel import select

from memory_core.banks.bank import BankId, parse_bank_id
from memory_core.banks.banks import open_banks
from memory_core.proposals import bookmark
from memory_core.proposals.apply import drain
from memory_core.proposals.item import Item
from memory_core.store.tables import LedgerRow
from tests.flows.desk import SAID, Desk, rule

A_BANK = 20  # memories of one bank, well under its cap
PROGRAM = """
import sys
from uuid import UUID
from prefect.client.orchestration import get_client
from prefect.flow_engine import run_flow
from tests.flows.handwritten import handwritten
with get_client(sync_client=True) as client:
    run = client.read_flow_run(UUID(sys.argv[1]))
print("now", flush=True)
run_flow(handwritten, run, run.parameters)
"""


def items(number: int) -> tuple[Item, ...]:
    """One point for a note, one new note, one memory."""
    told = {"description": f"Host {number}", "refs": [], "tags": []}
    host = f"{bank(number)}:host-{number}"
    return (
        rule(f"- Rule {number} holds on Fridays."),
        Item(
            "add", "note", f"new-{number}.md", "New", after=f"- Shelf {number}.", evidence=(SAID,)
        ),
        Item("add", "memory", host, "Host", after=f"Host {number}.", evidence=(SAID,), detail=told),
    )


def killed(run: UUID, after_s: float) -> bool:
    """Run the flow in a process of its own and kill it; whether it was still running."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(run)],
        cwd=Path(__file__).parents[2],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout and process.stdout.readline() == b"now\n"
        time.sleep(after_s)
        alive = process.poll() is None
        process.kill()
    return alive


def once(desk: Desk, number: int, flow: Any, after_s: float) -> bool:
    """One proposal through answer, kill and restart; whether the kill met a living process."""
    proposal = desk.offer(f"wrap:s{number}:5", *items(number), subject=f"s{number}")
    run = desk.start(flow, {"number": proposal.id})
    assert desk.execute(flow, run).is_paused()
    assert desk.resume(run, {"decision": "apply all"}) == "ACCEPT"
    alive = killed(run, after_s)
    drain(desk.database, desk.vault, desk.settings)
    again = desk.start(flow, {"number": proposal.id})
    state = desk.execute(flow, again)
    if state.is_paused():  # the kill came before the answer was stored: the form is shown anew
        assert desk.get(proposal.id).decision is None
        assert desk.resume(again, {"decision": "apply all"}) == "ACCEPT"
        state = desk.execute(flow, again)
    assert state.is_completed()
    check(desk, proposal.id, number)
    return alive


def check(desk: Desk, proposal: int, number: int) -> None:
    assert [item.state for item in desk.get(proposal).numbered] == ["applied"] * 3
    assert (desk.vault / "deploys.md").read_text().count(f"Rule {number} holds") == 1
    assert (desk.vault / f"new-{number}.md").read_text().count(f"Shelf {number}.") == 1
    log = desk.git("log", "--format=%B")
    assert log.count(f"Proposal-Id: {proposal}-") == 1
    assert bookmark.position(desk.database, "wrap", f"s{number}") == 5
    with desk.database.read() as session:
        rows = session.exec(select(LedgerRow).where(LedgerRow.proposal == str(proposal))).all()
    assert len(rows) == 3
    memory = open_banks(desk.settings, desk.database).held([bank(number)])
    assert sum(one.key == f"host-{number}" for one in memory) == 1
    assert desk.git("status", "--porcelain") == ""


def bank(number: int) -> BankId:
    """The bank of a kill's memory; another one before it fills."""
    return parse_bank_id(f"user:kari:shop-{number // A_BANK}")


def kills(desk: Desk, times: int, seed: int) -> int:
    """How many of the kills met a living process."""
    from tests.flows.handwritten import handwritten

    chance = random.Random(seed)
    return sum(once(desk, number, handwritten, chance.uniform(0, 2.5)) for number in range(times))


def test_a_run_killed_at_some_instant_is_applied_once(desk: Desk) -> None:
    assert kills(desk, 3, seed=3) > 0


@pytest.mark.e2e
@pytest.mark.timeout(3600)
def test_a_run_killed_at_a_hundred_instants_is_applied_once_each(desk: Desk) -> None:
    assert kills(desk, 100, seed=7) > 50
