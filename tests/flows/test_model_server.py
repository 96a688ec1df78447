"""Every routine reaches the warm server by one task, which outlives a dead server."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from flows.model_server import BATCH, batched
from memory_core.errors import ServerUnavailable
from tests.flows.desk import Desk
from tests.warm import Warm


@pytest.fixture
def ask(prefect_environment: dict[str, str]) -> Any:
    """The task; imported once Prefect's server is known."""
    from flows.model_server import ask_model_server

    return ask_model_server


def test_long_lists_go_in_batches_and_come_back_in_order() -> None:
    asked: list[int] = []

    def call(body: dict[str, Any] | None) -> dict[str, Any]:
        assert body is not None
        asked.append(len(body["texts"]))
        return {"vectors": [[float(text)] for text in body["texts"]], "model": "m"}

    texts = [str(number) for number in range(2 * BATCH + 3)]
    answer = batched(call, {"texts": texts})
    assert asked == [BATCH, BATCH, 3] and answer["model"] == "m"
    assert answer["vectors"] == [[float(text)] for text in texts]


def test_the_task_asks_the_warm_server(warm: Warm, ask: Any) -> None:
    assert len(ask("embed", {"texts": ["a", "b", "c"]})["vectors"]) == 3


def test_an_unknown_operation_is_refused_at_once(ask: Any) -> None:
    from memory_core.errors import BadInput

    with pytest.raises(BadInput, match="no operation 'shutdown'"):
        ask("shutdown", {})


def test_what_no_retry_can_mend_is_asked_once(warm: Warm, ask: Any) -> None:
    from prefect import flow

    from memory_core.errors import BadInput

    calls = []

    @flow(name="asks-badly")
    def asks_badly() -> None:
        calls.append(1)
        ask("embed", {"texts": 7})

    begun = time.monotonic()
    with pytest.raises(BadInput):
        asks_badly()
    assert calls == [1] and time.monotonic() - begun < 30


def test_a_server_that_comes_back_costs_a_retry(desk: Desk, home: Path, ask: Any) -> None:
    """Nothing listens when the task starts; a real server is started while it waits."""
    command = [sys.executable, "-I", "-m", "memory_core", "serve"]
    started: list[subprocess.Popen[bytes]] = []
    with (home / "log").open("wb") as log:

        def revive() -> None:
            started.append(subprocess.Popen(command, stdout=log, stderr=log))

        timer = threading.Timer(2.0, revive)
        timer.start()
        try:
            assert len(ask("embed", {"texts": ["a"]})["vectors"]) == 1
        finally:
            timer.join()
            started[0].send_signal(signal.SIGTERM)
            started[0].wait(20)


def test_a_server_that_stays_away_is_named(home: Path, ask: Any) -> None:
    with pytest.raises(ServerUnavailable):
        ask.with_options(retries=0)("embed", {"texts": ["a"]})
