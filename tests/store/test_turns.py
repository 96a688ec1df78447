"""Turns are handed over in the order of asking."""

from __future__ import annotations

import threading
import time

import pytest

from memory_core.errors import DatabaseBusy
from memory_core.store.turns import Turns


def test_nobody_overtakes() -> None:
    turns, order, started = Turns(1), list[int](), list[threading.Thread]()

    def go(number: int) -> None:
        with turns.one(30):
            order.append(number)

    with turns.one(1):
        for number in range(8):
            started.append(threading.Thread(target=go, args=(number,)))
            started[-1].start()
            while len(turns._waiting) <= number:
                time.sleep(0.001)
    for thread in started:
        thread.join()
    assert order == list(range(8))


def test_who_waits_too_long_is_told_so_and_takes_no_place() -> None:
    turns = Turns(1)
    with turns.one(1):
        with pytest.raises(DatabaseBusy, match="other writers"), turns.one(0.01):
            pass
    with turns.one(0.01):
        pass


def test_a_place_is_free_again_after_an_error() -> None:
    turns = Turns(2)
    for _ in range(3):
        with pytest.raises(RuntimeError), turns.one(0.01):
            raise RuntimeError
    with turns.one(0.01), turns.one(0.01):
        pass
