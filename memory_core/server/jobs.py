"""One worker thread for everything that uses the models, fed in order of urgency.

A person's request goes before bulk work, and bulk work comes in small jobs, so that a
request waits for one small job at most. A job whose deadline has passed is not begun.
"""

from __future__ import annotations

import itertools
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from memory_core.errors import RecallUnavailable

BUSY = "the memory server is busy"
STOPPING = "the memory server is stopping"


class Urgency(IntEnum):
    """Smaller goes first."""

    PERSON = 0
    BULK = 1
    INDEX = 2
    STOP = 9


@dataclass(order=True, slots=True)
class _Job:
    urgency: Urgency
    number: int
    run: Callable[[], Any] = field(compare=False)
    future: Future[Any] = field(compare=False)
    deadline: float = field(compare=False)


class Worker:
    """A thread that runs one job at a time; first by urgency, then by arrival."""

    def __init__(self) -> None:
        self._queue: queue.PriorityQueue[_Job] = queue.PriorityQueue()
        self._numbers = itertools.count()
        self._stopped = False
        self._asked = float("-inf")
        self._thread = threading.Thread(target=self._work, name="models", daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def submit(
        self, urgency: Urgency, run: Callable[[], Any], deadline: float = float("inf")
    ) -> Future[Any]:
        """Queue a call; `deadline` is on the monotonic clock.

        The future raises `RecallUnavailable` when the job was not begun by then.
        """
        if urgency is Urgency.PERSON:
            self._asked = time.monotonic()
        future: Future[Any] = Future()
        self._queue.put(_Job(urgency, next(self._numbers), run, future, deadline))
        return future

    @property
    def waiting(self) -> int:
        """How many jobs wait."""
        return self._queue.qsize()

    @property
    def quiet_s(self) -> float:
        """Seconds since a person last asked."""
        return time.monotonic() - self._asked

    def stop(self, timeout: float = 2.0) -> bool:
        """Begin no further job; wait for the running one for `timeout` seconds.

        Returns whether the thread has ended.
        """
        self._stopped = True
        self.submit(Urgency.STOP, lambda: None)  # wakes a worker that waits
        if self._thread.is_alive():
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def _work(self) -> None:
        while not self._stopped or not self._queue.empty():
            job = self._queue.get()
            if not job.future.set_running_or_notify_cancel():
                continue
            if self._stopped or time.monotonic() >= job.deadline:
                job.future.set_exception(RecallUnavailable(STOPPING if self._stopped else BUSY))
                continue
            try:
                job.future.set_result(job.run())
            except BaseException as error:
                job.future.set_exception(error)
