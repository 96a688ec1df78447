"""The worker serves people first and begins nothing that is too late."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from memory_core.errors import RecallUnavailable
from memory_core.server.jobs import BUSY, Urgency, Worker


@pytest.fixture
def held() -> Iterator[tuple[Worker, threading.Event]]:
    """A worker that is busy with a first job until the event is set."""
    worker, go = Worker(), threading.Event()
    begun = threading.Event()

    def first() -> None:
        begun.set()
        go.wait(10)

    worker.start()
    worker.submit(Urgency.BULK, first)
    assert begun.wait(10)
    yield worker, go
    go.set()
    worker.stop()


def test_a_persons_job_overtakes_bulk_and_index_work(held: tuple[Worker, threading.Event]) -> None:
    worker, go = held
    order: list[str] = []
    futures = [
        worker.submit(urgency, lambda name=name: order.append(name))
        for urgency, name in (
            (Urgency.INDEX, "index"),
            (Urgency.BULK, "bulk 1"),
            (Urgency.BULK, "bulk 2"),
            (Urgency.PERSON, "person 1"),
            (Urgency.PERSON, "person 2"),
        )
    ]
    go.set()
    for future in futures:
        future.result(10)
    assert order == ["person 1", "person 2", "bulk 1", "bulk 2", "index"]


def test_a_job_past_its_deadline_is_not_begun(held: tuple[Worker, threading.Event]) -> None:
    worker, go = held
    ran: list[int] = []
    future = worker.submit(Urgency.PERSON, lambda: ran.append(1), time.monotonic() - 1)
    go.set()
    with pytest.raises(RecallUnavailable, match=BUSY):
        future.result(10)
    assert ran == []


def test_a_cancelled_job_is_passed_over(held: tuple[Worker, threading.Event]) -> None:
    worker, go = held
    ran: list[int] = []
    assert worker.submit(Urgency.PERSON, lambda: ran.append(1)).cancel()
    after = worker.submit(Urgency.BULK, lambda: 7)
    go.set()
    assert after.result(10) == 7 and ran == []


def test_a_job_that_fails_ends_only_itself() -> None:
    worker = Worker()
    worker.start()
    with pytest.raises(ZeroDivisionError):
        worker.submit(Urgency.BULK, lambda: 1 / 0).result(10)
    assert worker.submit(Urgency.BULK, lambda: 7).result(10) == 7
    worker.stop()


def test_jobs_that_wait_when_the_worker_stops_are_told(
    held: tuple[Worker, threading.Event],
) -> None:
    worker, go = held
    waiting = worker.submit(Urgency.BULK, lambda: 7)
    threading.Timer(0.05, go.set).start()
    worker.stop()
    with pytest.raises(RecallUnavailable, match="stopping"):
        waiting.result(10)
