"""What carries work between the store and Prefect goes on whatever fails beside it."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest

from deployments.dispatch import Dispatcher
from deployments.serve import _dispatch
from memory_core import paths
from memory_core.proposals import queue
from memory_core.proposals.decision import Decision, decide
from memory_core.store import outbox
from tests.flows.desk import Desk, rule


@pytest.fixture
def client(prefect_environment: object) -> Iterator[Any]:
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as made:
        yield made


def suspended(desk: Desk, subject: str) -> tuple[int, UUID]:
    """A proposal whose run waits."""
    from tests.flows.handwritten import handwritten

    proposal = desk.offer(f"wrap:{subject}:5", rule(f"- Rule of {subject}."), subject=subject)
    run = desk.start(handwritten, {"number": proposal.id})
    assert desk.execute(handwritten, run).is_paused()
    return proposal.id, run


def until(look: Callable[[], Any], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not look():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_deployment_that_was_deleted_holds_up_no_other_work(desk: Desk, client: Any) -> None:
    number, run = suspended(desk, "held-up")
    decide(desk.database, number, Decision("apply none"))
    with desk.database.write() as session:
        payload = {"session": "s", "sequence": 1}
        outbox.post(session, kind=outbox.WRAP, key="wrap:s:1", payload=payload)
    Dispatcher(client, desk.database, desk.settings, {"wrap": uuid4()}).tick()
    assert desk.state(run).is_scheduled()  # resumed
    with desk.database.read() as session:
        assert [row.key for row in outbox.pending(session, outbox.WRAP)] == ["wrap:s:1"]


def test_a_database_locked_at_the_start_is_waited_for(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, run = suspended(desk, "locked")
    decide(desk.database, number, Decision("apply none"))
    desk.database.close()
    monkeypatch.setattr("memory_core.store.database.BUSY_SECONDS", 0.1)
    monkeypatch.setattr("deployments.serve.RETRY_S", 0.1)
    locked = sqlite3.connect(paths.database_file(), isolation_level=None, check_same_thread=False)
    locked.execute("PRAGMA locking_mode=EXCLUSIVE")
    locked.execute("BEGIN IMMEDIATE")
    ending = threading.Event()
    thread = threading.Thread(target=_dispatch, args=(desk.settings, {}, ending))
    thread.start()
    try:
        thread.join(1)
        assert thread.is_alive()
        locked.close()
        until(lambda: desk.state(run).is_scheduled())
    finally:
        locked.close()
        ending.set()
        thread.join()


def test_an_open_proposal_whose_run_crashed_gets_another(desk: Desk, client: Any) -> None:
    from prefect.states import Cancelled, Crashed

    from deployments import sweep

    crashed, run = suspended(desk, "crashed")
    cancelled, other = suspended(desk, "cancelled")
    client.set_flow_run_state(run, Crashed(message="killed"), force=True)
    client.set_flow_run_state(other, Cancelled(message="by hand"), force=True)
    dispatcher = Dispatcher(
        client, desk.database, desk.settings, {"wrap": desk.runs["handwritten"]}
    )
    assert sweep.reopen(client, desk.database, dispatcher) == 1
    assert sweep.reopen(client, desk.database, dispatcher) == 1  # the same run, by its key
    runs = [each for each in client.read_flow_runs() if each.idempotency_key]
    wanted = f"wrap:crashed:5:after:{run}"
    assert [each.idempotency_key for each in runs].count(wanted) == 1
    assert queue.get(desk.database, crashed).state == "open"
    assert queue.get(desk.database, cancelled).flow_run == str(other)
