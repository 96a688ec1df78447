"""Turns: so many at once go through, the others in the order in which they came."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock

from memory_core.errors import DatabaseBusy


class Turns:
    """Places are handed over, never raced for, so that nobody waits while others go twice."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: deque[Event] = deque()
        self._lock = Lock()

    @contextmanager
    def one(self, seconds: float) -> Iterator[None]:
        """Have a place while the block runs.

        Raises `DatabaseBusy` when none is had within `seconds`.
        """
        self._enter(seconds)
        try:
            yield
        finally:
            self._leave()

    def _enter(self, seconds: float) -> None:
        called = Event()
        with self._lock:
            if self._free:
                self._free -= 1
                return
            self._waiting.append(called)
        if called.wait(seconds):
            return
        with self._lock:
            if called.is_set():  # called at the last moment
                return
            self._waiting.remove(called)
        raise DatabaseBusy(
            f"other writers of this process held the database for {seconds:g} s",
            remedy="try again",
        )

    def _leave(self) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1
