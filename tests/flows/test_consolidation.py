"""From the write that crosses a soft limit to a bank in order, whatever is written meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest

from memory_core.banks.banks import Banks, open_banks
from memory_core.banks.memory import Draft
from memory_core.banks.writer import By
from memory_core.proposals import queue
from memory_core.proposals.proposal import Proposal
from memory_core.store import outbox
from memory_core.testing import KEY, Answer, StubModel
from tests.flows.desk import Desk
from tests.routines.crowded import BANK, drops, fill, held, plan, shown

RUN = f"consolidation:{BANK}:"
AGENT = By("agent", "test")


@pytest.fixture
def flow(desk: Desk) -> Any:
    """The flow, imported once Prefect's server is known."""
    from flows.consolidation import consolidation

    return consolidation


@pytest.fixture
def banks(desk: Desk) -> Banks:
    return open_banks(desk.settings, desk.database)


@pytest.fixture
def client(desk: Desk) -> Iterator[Any]:
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as found:
        yield found


def model(monkeypatch: pytest.MonkeyPatch, stub: StubModel) -> None:
    """Name the stub as the language model."""
    monkeypatch.setenv("WELLKEPT_LLM_MODEL", "openai/stub")
    monkeypatch.setenv("WELLKEPT_LLM_API_BASE", stub.url)
    monkeypatch.setenv("WELLKEPT_LLM_API_KEY", KEY)


def crowd(desk: Desk, count: int = 41, twins: int = 1) -> None:
    """A bank over its limit; each pair of twins holds a text twice."""
    fill(desk.database, desk.settings, count - 2 * twins)
    for at in range(twins):
        for side, text in (("a", f"Lunch {at} is at noon."), ("b", f"lunch {at} is at noon")):
            say(desk, f"twin-{at}-{side}", text)


def say(desk: Desk, key: str, content: str) -> None:
    open_banks(desk.settings, desk.database).remember(
        BANK, Draft(key, f"About {key}", content), AGENT
    )


def owed(desk: Desk) -> list[str]:
    with desk.database.read() as session:
        return [row.key for row in outbox.pending(session, outbox.CONSOLIDATION)]


def state(banks: Banks) -> tuple[int, int, bool]:
    """Memories, generation, FULL."""
    found = banks.state(BANK)
    return found.count, found.generation, found.latched


def newest(desk: Desk) -> Proposal:
    return queue.listed(desk.database, limit=1)[0]


def begin(desk: Desk, flow: Any, generation: int = -1) -> UUID:
    """A run that waits for its decision."""
    run = desk.start(flow, {"bank": str(BANK), "generation": generation})
    assert desk.execute(flow, run).is_paused()
    return run


def end(desk: Desk, flow: Any, run: UUID, **answer: Any) -> None:
    assert desk.resume(run, {"decision": "apply all", **answer}) == "ACCEPT"
    assert desk.execute(flow, run).is_completed()


def test_a_crossing_starts_one_run_whose_plan_waits_and_is_applied(
    desk: Desk, flow: Any, banks: Banks, client: Any
) -> None:
    from deployments.dispatch import Dispatcher

    crowd(desk, 41)
    say(desk, "twin-0-c", "lunch 0 is at noon!")  # a second crossing, before anything runs
    assert owed(desk) == [f"{RUN}0"]
    desk.start(flow, {"bank": "user:else"})  # makes the deployment
    dispatcher = Dispatcher(client, desk.database, desk.settings, desk.runs)
    values = {"bank": str(BANK), "generation": 0}
    dispatcher.tick()
    assert owed(desk) == []
    run = dispatcher.start_anew("consolidation", values, f"{RUN}0")
    assert client.read_flow_run(run).idempotency_key == f"{RUN}0"
    assert desk.execute(flow, run).is_paused()
    assert held(desk.database, desk.settings).keys() > {"twin-0-a", "twin-0-b"}
    end(desk, flow, run)
    assert state(banks) == (40, 1, False) and newest(desk).state == "applied"
    anew = dispatcher.start_anew("consolidation", values, f"{RUN}0")
    assert anew != run and desk.execute(flow, anew).is_completed()  # the same again
    assert state(banks) == (40, 1, False)


def test_a_run_of_a_generation_that_is_over_does_nothing(
    desk: Desk, flow: Any, banks: Banks
) -> None:
    crowd(desk, 41)
    banks.end_run(BANK, latched=False)
    ended = desk.execute(flow, desk.start(flow, {"bank": str(BANK), "generation": 0}))
    assert ended.is_completed() and "ended already" in ended.message
    assert queue.listed(desk.database) == [] and state(banks) == (41, 1, False)


def test_a_greedy_plan_fails_the_run_with_its_reason_and_costs_nothing(
    desk: Desk, flow: Any, banks: Banks, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(desk.database, desk.settings, 48)
    before = held(desk.database, desk.settings)
    with StubModel(lambda asked: plan(dropped=drops([one["key"] for one in shown(asked)]))) as stub:
        model(monkeypatch, stub)
        run = desk.start(flow, {"bank": str(BANK)})
        ended = desk.execute(flow, run)
        assert ended.is_failed() and "List should have at most 30" in ended.message
        assert len(stub.requests) == 3
    assert held(desk.database, desk.settings) == before and state(banks) == (48, 1, False)
    assert newest(desk).state == "failed" and newest(desk).items == ()
    assert owed(desk) == [f"{RUN}0"]
    say(desk, "late", "The printer is out of toner.")
    assert owed(desk) == [f"{RUN}0", f"{RUN}1"]


def test_a_model_without_balance_fails_the_run_and_latches_nothing(
    desk: Desk, flow: Any, banks: Banks, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(desk.database, desk.settings, 42)
    with StubModel(Answer("Insufficient balance", 402)) as stub:
        model(monkeypatch, stub)
        ended = desk.execute(flow, desk.start(flow, {"bank": str(BANK)}))
        assert ended.is_failed() and len(stub.requests) == 1
    assert state(banks) == (42, 1, False)
    assert "402" in newest(desk).notices[0]


def test_without_a_model_a_bank_of_distinct_memories_is_full_and_needs_no_person(
    desk: Desk, flow: Any, banks: Banks
) -> None:
    fill(desk.database, desk.settings, 42)
    assert desk.execute(flow, desk.start(flow, {"bank": str(BANK)})).is_completed()
    assert newest(desk).state == "empty" and state(banks) == (42, 1, True)
    assert [str(one.bank) for one in banks.full("ada")] == [str(BANK)]
    assert banks.full("kari") == []


def test_what_crosses_during_a_run_is_looked_at_again_at_its_end(
    desk: Desk, flow: Any, banks: Banks
) -> None:
    crowd(desk, 41)
    run = begin(desk, flow)
    for at in range(2):
        say(desk, f"late-{at}", f"The printer of floor {at} is out of toner.")
    assert owed(desk) == [f"{RUN}0"]
    end(desk, flow, run)
    assert state(banks) == (42, 1, False)
    assert owed(desk) == [f"{RUN}0", f"{RUN}1"]


def test_two_writers_while_a_run_waits_lose_nothing(desk: Desk, flow: Any, banks: Banks) -> None:
    crowd(desk, 44, twins=4)
    run = begin(desk, flow)
    assert len(newest(desk).open) == 4
    say(desk, "twin-0-b", "Lunch 0 is at one.")  # one rewrites
    say(desk, "late", "The printer is out of toner.")
    banks.forget(BANK, "twin-1-a", By("user", "test"))  # the other forgets
    end(desk, flow, run)
    states = sorted(item.state for item in newest(desk).numbered)
    assert states == ["applied", "applied", "stale", "stale"]
    now = held(desk.database, desk.settings)
    assert now["twin-0-b"] == "Lunch 0 is at one." and now["twin-0-a"] == "Lunch 0 is at noon."
    assert "twin-1-b" in now and "late" in now and state(banks)[0] == 42


def test_what_moves_after_the_decision_is_conflicted(desk: Desk, flow: Any, banks: Banks) -> None:
    crowd(desk, 42, twins=2)
    run = begin(desk, flow)
    assert desk.resume(run, {"decision": "apply all"}) == "ACCEPT"
    from memory_core.proposals.decision import Decision, decide

    decide(desk.database, newest(desk).id, Decision("apply all", surface="UI"))
    say(desk, "twin-0-b", "Lunch 0 is at one.")
    assert desk.execute(flow, run).is_completed()
    assert sorted(item.state for item in newest(desk).numbered) == ["applied", "conflicted"]
    assert {"twin-0-a", "twin-0-b"} <= held(desk.database, desk.settings).keys()
    assert owed(desk) == [f"{RUN}0", f"{RUN}1"]


def test_a_rejected_run_changes_nothing_and_latches_nothing(
    desk: Desk, flow: Any, banks: Banks
) -> None:
    crowd(desk, 44)
    run = begin(desk, flow)
    end(desk, flow, run, decision="reject run")
    assert state(banks) == (44, 1, False) and newest(desk).state == "rejected"


def test_a_bank_named_automatic_is_put_in_order_without_a_person(
    desk: Desk, flow: Any, banks: Banks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WELLKEPT_CONSOLIDATION_AUTOMATIC", '["private"]')
    crowd(desk, 41)
    assert desk.execute(flow, desk.start(flow, {"bank": str(BANK)})).is_completed()
    proposal = newest(desk)
    assert proposal.state == "applied" and proposal.decision is not None
    assert proposal.decision["surface"] == "automatic" and state(banks) == (40, 1, False)


def test_a_run_that_died_is_taken_up_with_its_own_plan(
    desk: Desk, flow: Any, banks: Banks, client: Any
) -> None:
    from prefect.states import Crashed

    from deployments import sweep
    from deployments.dispatch import Dispatcher

    crowd(desk, 42)
    first = begin(desk, flow)
    say(desk, "late", "The printer is out of toner.")
    client.set_flow_run_state(first, Crashed(message="power cut"), force=True)
    dispatcher = Dispatcher(client, desk.database, desk.settings, desk.runs)
    before = newest(desk)
    assert sweep.restart(client, desk.database, dispatcher) == 1
    second = dispatcher.start_anew(
        "consolidation", {"bank": str(BANK), "generation": 0}, f"{RUN}0:after:{first}"
    )
    assert desk.execute(flow, second).is_paused() and newest(desk).items == before.items
    end(desk, flow, second)
    assert state(banks)[:2] == (42, 1)


def test_a_bank_that_nobody_wrote_to_fails_the_run_by_name(desk: Desk, flow: Any) -> None:
    ended = desk.execute(flow, desk.start(flow, {"bank": "user:nobody"}))
    assert ended.is_failed() and "user:nobody holds no memory" in ended.message
