"""A session's wrap from its record to a proposal that waits, with and without a model."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from typing import Any

import pytest

from memory_core import paths
from memory_core.proposals import bookmark, queue
from memory_core.server.lock import ProcessLock
from memory_core.server.serve import LOCK
from memory_core.testing import KEY, Answer, StubModel
from tests.flows.desk import Desk
from tests.routines.told import fact, reply

RULE = "for every session: never deploy on a Friday afternoon"


@pytest.fixture
def wrap(served: Desk) -> Any:
    """The flow, imported once Prefect's server is known."""
    from flows.wrap import wrap

    return wrap


def model(monkeypatch: pytest.MonkeyPatch, stub: StubModel) -> None:
    """Name the stub as the language model."""
    monkeypatch.setenv("WELLKEPT_LLM_MODEL", "openai/stub")
    monkeypatch.setenv("WELLKEPT_LLM_API_BASE", stub.url)
    monkeypatch.setenv("WELLKEPT_LLM_API_KEY", KEY)


def proposal_of(desk: Desk, session: str) -> Any:
    found = [each for each in queue.listed(desk.database) if each.subject == session]
    assert len(found) == 1
    return found[0]


def test_a_rule_said_for_every_session_is_offered_with_its_evidence(
    served: Desk, wrap: Any
) -> None:
    served.recorded("rule", ("user", RULE), ("assistant", "Understood, no Friday afternoons."))
    run = served.start(wrap, {"session": "rule"})
    assert served.execute(wrap, run).is_paused()
    proposal = proposal_of(served, "rule")
    assert proposal.state == "open" and "on evidence alone" in proposal.notices[0]
    (item,) = proposal.open
    assert "deploy on a Friday" in item.after and item.evidence[0].quote == RULE
    assert item.provenance == "user"


def test_a_session_that_taught_nothing_needs_no_person(served: Desk, wrap: Any) -> None:
    served.recorded("idle", ("user", "thanks"), ("assistant", "You are welcome."))
    assert served.execute(wrap, served.start(wrap, {"session": "idle"})).is_completed()
    proposal = proposal_of(served, "idle")
    assert proposal.state == "empty"
    assert bookmark.position(served.database, "wrap", "idle") == proposal.window["until"]


def test_a_session_nobody_recorded_fails_with_its_name(served: Desk, wrap: Any) -> None:
    state = served.execute(wrap, served.start(wrap, {"session": "nobody"}))
    assert state.is_failed() and "nothing is recorded of session" in state.message


def test_the_model_is_asked_once_however_long_the_person_thinks(
    served: Desk, wrap: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.recorded("once", ("user", "The canary takes 25 minutes now."), ("assistant", "Noted."))
    told = reply(fact("The canary takes 25 minutes.", 1, goes_to="deploys.md"))
    with StubModel(told) as stub:
        model(monkeypatch, stub)
        run = served.start(wrap, {"session": "once"})
        assert served.execute(wrap, run).is_paused()
        assert served.resume(run, {"decision": "apply all"}) == "ACCEPT"
        assert served.execute(wrap, run).is_completed()
        assert len(stub.requests) == 1
    proposal = proposal_of(served, "once")
    assert proposal.state == "applied" and proposal.cost["tokens_in"] == 100
    assert "25 minutes" in (served.vault / "deploys.md").read_text("utf-8")


def test_a_model_that_is_busy_is_asked_again(
    served: Desk, wrap: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flows.wrap.propose.retry_delay_seconds", [0.1, 0.1, 0.1])
    served.recorded("busy", ("user", "The staging host is stage-7 now."), ("assistant", "Noted."))
    told = reply(fact("The staging host is stage-7.", 1))
    with StubModel([Answer("slow down", 429), Answer("slow down", 429), told]) as stub:
        model(monkeypatch, stub)
        assert served.execute(wrap, served.start(wrap, {"session": "busy"})).is_paused()
        assert len(stub.requests) == 3
    assert "stage-7" in proposal_of(served, "busy").open[0].after


def test_a_refused_model_fails_the_run_and_the_next_one_reads_the_same(
    served: Desk, wrap: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.recorded("poor", ("user", "The NAS sits at 10.0.3.9 now."), ("assistant", "Noted."))
    with StubModel(Answer("Insufficient balance", 402)) as stub:
        model(monkeypatch, stub)
        state = served.execute(wrap, served.start(wrap, {"session": "poor"}))
        assert state.is_failed() and len(stub.requests) == 1
    first = proposal_of(served, "poor")
    assert first.state == "drafting" and not first.items
    assert bookmark.position(served.database, "wrap", "poor") == first.window["since"]
    with StubModel(reply(fact("The NAS sits at 10.0.3.9.", 1))) as stub:
        model(monkeypatch, stub)
        assert served.execute(wrap, served.start(wrap, {"session": "poor"})).is_paused()
    again = proposal_of(served, "poor")
    assert again.id == first.id and again.window == first.window and len(again.open) == 1


def test_a_resumed_session_is_wrapped_again_for_what_is_new(served: Desk, wrap: Any) -> None:
    shown = "for every session: always show me the plan before you delete a volume"
    first = ("user", shown), ("assistant", "Understood.")
    served.recorded("resumed", *first)
    run = served.start(wrap, {"session": "resumed"})
    assert served.execute(wrap, run).is_paused()
    assert served.resume(run, {"decision": "apply none"}) == "ACCEPT"
    assert served.execute(wrap, run).is_completed()
    rule = "for every session: never restart the printer without asking me"
    more = ("user", "thanks"), ("assistant", "Sure."), ("user", rule), ("assistant", "Understood.")
    served.recorded("resumed", *first, *more)
    assert served.execute(wrap, served.start(wrap, {"session": "resumed"})).is_paused()
    both = [each for each in queue.listed(served.database) if each.subject == "resumed"]
    assert both[0].window["since"] == both[1].window["until"]
    offered = [item.after for item in both[0].open]
    assert any("printer" in text for text in offered)


def test_a_rejected_run_is_offered_again(served: Desk, wrap: Any) -> None:
    rule = "for every session: never touch the boiler without asking me"
    served.recorded("rejected", ("user", rule), ("assistant", "Understood."))
    first = served.start(wrap, {"session": "rejected"})
    assert served.execute(wrap, first).is_paused()
    assert served.resume(first, {"decision": "reject run"}) == "ACCEPT"
    assert served.execute(wrap, first).is_completed()
    assert served.execute(wrap, served.start(wrap, {"session": "rejected"})).is_paused()
    both = [each for each in queue.listed(served.database) if each.subject == "rejected"]
    assert [each.state for each in both] == ["open", "rejected"]
    assert both[0].window == both[1].window
    assert [item.after for item in both[0].open] == [item.after for item in both[1].numbered]


def test_a_server_killed_while_a_wrap_asks_it_costs_only_time(served: Desk, wrap: Any) -> None:
    rule = "for every session: never print to the plotter without asking me"
    served.recorded("unplugged", ("user", rule), ("assistant", "Understood."))
    run = served.start(wrap, {"session": "unplugged"})
    held = ProcessLock(paths.home() / LOCK).holder()
    os.kill(held["pid"], signal.SIGKILL)
    command = [sys.executable, "-I", "-m", "memory_core", "serve"]
    revived: list[subprocess.Popen[bytes]] = []
    timer = threading.Timer(3.0, lambda: revived.append(subprocess.Popen(command)))
    timer.start()
    try:
        assert served.execute(wrap, run).is_paused()
    finally:
        timer.join()
        revived[0].terminate()
        revived[0].wait(20)
    assert "plotter" in proposal_of(served, "unplugged").open[0].after
