"""A dream from the record of all sessions to a proposal that waits, with and without a model."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest

from memory_core.hooks import spool
from memory_core.proposals import bookmark, queue
from memory_core.proposals.decision import Decision, decide
from memory_core.proposals.proposal import Proposal
from memory_core.routines.dream import reading
from memory_core.testing import KEY, Answer, StubModel
from tests.flows.desk import Desk

NOTE = """---
key: {name}
description: When the {name} runs
updated: 2026-01-02
---

- The {name} runs at 02:00 and takes ten minutes.
- The {name} is tested every 90 days.
"""
CHANGE = "The {name} runs at 03:30 now instead of 02:00."
NOTHING: dict[str, Any] = {"observations": []}
KEPT: dict[str, Any] = {"claims": [], "dismissed": []}


@dataclass
class Sleeper:
    """A user of the shared desk: a note of their own, a bookmark of their own."""

    desk: Desk
    name: str
    flow: Any

    @property
    def proposals(self) -> list[Proposal]:
        found = queue.listed(self.desk.database, limit=200)
        return [one for one in found if one.user == self.name]

    @property
    def position(self) -> int:
        subject = reading.subject(self.desk.vault, self.name)
        return bookmark.position(self.desk.database, "dream", subject)

    @property
    def note(self) -> str:
        return (self.desk.vault / f"{self.name}.md").read_text("utf-8")

    def says(self, session: str, text: str) -> None:
        said = ("user", text), ("assistant", "Understood.")
        self.desk.recorded(f"{self.name}-{session}", *said, user=self.name)

    def run(self, **parameters: Any) -> UUID:
        return self.desk.start(self.flow, parameters)

    def execute(self, run: UUID) -> Any:
        return self.desk.execute(self.flow, run)


@pytest.fixture
def sleeper(served: Desk, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Sleeper]:
    """A user of that name, whose note says two, and one session that says half past three."""
    from flows.dream import dream

    def made(name: str) -> Sleeper:
        monkeypatch.setenv("WELLKEPT_USER", name)
        (served.vault / f"{name}.md").write_text(NOTE.format(name=name), "utf-8")
        one = Sleeper(served, name, dream)
        one.says("first", CHANGE.format(name=name))
        return one

    return made


def writer(monkeypatch: pytest.MonkeyPatch, stub: StubModel) -> None:
    """Name the stub as the language model; no wait before a second try."""
    monkeypatch.setattr("flows.language_model.ask_language_model.retry_delay_seconds", [0.1] * 3)
    for name, value in (
        ("MODEL", "openai/stub"), ("API_BASE", stub.url), ("API_KEY", KEY), ("VENDOR", "Acme"),
    ):  # fmt: skip
        monkeypatch.setenv(f"WELLKEPT_LLM_{name}", value)


def panel(monkeypatch: pytest.MonkeyPatch, *stubs: StubModel) -> None:
    """Name two stubs as the panel."""
    values = {
        "MODELS": ["openai/birch", "openai/cedar"], "API_BASES": [stub.url for stub in stubs],
        "API_KEYS": [KEY, KEY], "VENDORS": ["Birch", "Cedar"],
    }  # fmt: skip
    for name, value in values.items():
        monkeypatch.setenv(f"WELLKEPT_PANEL_{name}", json.dumps(value))


def test_a_note_that_no_longer_holds_is_offered_approved_and_revised(
    sleeper: Callable[[str], Sleeper],
) -> None:
    ada = sleeper("heating")
    run = ada.run()
    assert ada.execute(run).is_paused()
    (proposal,) = ada.proposals
    assert proposal.state == "open" and "on evidence alone" in proposal.notices[0]
    (item,) = [one for one in proposal.open if one.target == "heating.md"]
    assert item.evidence[0].quote == CHANGE.format(name="heating")
    assert ada.position == 0
    assert ada.desk.resume(run, {"decision": "apply all"}) == "ACCEPT"
    assert ada.execute(run).is_completed()
    assert "03:30" in ada.note and "02:00" in ada.note
    assert ada.position == proposal.window["until"] > 0
    assert ada.execute(ada.run()).is_completed()
    assert ada.proposals[0].state == "empty"


def test_a_second_run_at_once_ends_and_names_the_first(sleeper: Callable[[str], Sleeper]) -> None:
    ada = sleeper("pump")
    first = ada.run()
    assert ada.execute(first).is_paused()
    state = ada.execute(ada.run())
    assert state.is_completed() and str(first) in state.message
    assert len(ada.proposals) == 1


def test_what_was_recorded_meanwhile_is_read_with_the_same_window_again(
    sleeper: Callable[[str], Sleeper],
) -> None:
    ada = sleeper("lamp")
    assert ada.execute(ada.run()).is_paused()
    ada.says("second", "The lamp is tested every 30 days now instead of every 90 days.")
    assert ada.execute(ada.run()).is_paused()
    newer, older = ada.proposals
    assert older.state == "superseded" and newer.state == "open"
    assert newer.window["since"] == older.window["since"]
    assert newer.window["until"] > older.window["until"]
    assert {one.before for one in older.items} <= {one.before for one in newer.open}
    assert ada.position == 0


def test_a_rejected_run_leaves_the_window_for_the_next_one(
    sleeper: Callable[[str], Sleeper],
) -> None:
    ada = sleeper("gate")
    run = ada.run()
    assert ada.execute(run).is_paused()
    assert ada.desk.resume(run, {"decision": "reject run"}) == "ACCEPT"
    assert ada.execute(run).is_completed() and ada.position == 0
    assert ada.execute(ada.run()).is_paused()
    newer, older = ada.proposals
    assert newer.window == older.window and [one.after for one in newer.open]


def test_what_the_hooks_left_is_stored_before_the_window_is_closed(
    sleeper: Callable[[str], Sleeper],
) -> None:
    ada = sleeper("oven")
    rows = [
        {"session": "spooled", "turn": 1, "ts": "2026-11-04T09:00:00Z", "role": "user",
         "text": "The oven is tested every 30 days now instead of every 90 days."},
        {"session": "spooled", "turn": 2, "ts": "2026-11-04T09:00:10Z", "role": "assistant",
         "text": "Noted."},
    ]  # fmt: skip
    transcript = ada.desk.vault.parent / "spooled.jsonl"
    transcript.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    event = {"event": "back", "session": "spooled", "transcript": str(transcript),
             "client": "neutral", "cwd": str(ada.desk.vault)}  # fmt: skip
    spool.put(event | {"at": 0})
    assert ada.execute(ada.run()).is_paused()
    assert not spool.names()
    assert any("every 30 days" in one.after for one in ada.proposals[0].open)


def test_a_run_that_lost_its_place_is_taken_up_with_its_window(
    sleeper: Callable[[str], Sleeper],
) -> None:
    from prefect.client.orchestration import get_client
    from prefect.states import Crashed

    ada = sleeper("fan")
    first = ada.run()
    assert ada.execute(first).is_paused()
    with get_client(sync_client=True) as client:
        client.set_flow_run_state(first, Crashed(), force=True)
    (before,) = ada.proposals
    again = ada.run(proposal=before.id)
    assert ada.execute(again).is_paused()
    (after,) = ada.proposals
    assert after.window == before.window and after.flow_run == str(again)


def test_a_limit_reads_the_record_in_portions(sleeper: Callable[[str], Sleeper]) -> None:
    ada = sleeper("tap")
    ada.says("second", "The tap is tested every 30 days now instead of every 90 days.")
    run = ada.run(limit=1)
    assert ada.execute(run).is_paused()
    assert ada.proposals[0].summary.startswith("1 sessions, 1 turns")
    assert ada.desk.resume(run, {"decision": "apply none"}) == "ACCEPT"
    assert ada.execute(run).is_completed()
    assert ada.position == ada.proposals[0].window["until"]
    assert ada.execute(ada.run()).is_paused()
    assert ada.proposals[0].window["since"] == ada.position


@pytest.mark.parametrize(
    ("name", "answer", "times"),
    [("poor", Answer("Insufficient balance", 402), 1), ("busy", Answer("slow down", 429), 4)],
)
def test_a_model_that_refuses_fails_the_run_and_the_next_reads_the_same(
    sleeper: Callable[[str], Sleeper],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    answer: Answer,
    times: int,
) -> None:
    ada = sleeper(name)
    with StubModel(answer) as stub:
        writer(monkeypatch, stub)
        state = ada.execute(ada.run())
        assert state.is_failed() and str(answer.status) in state.message
        assert len(stub.requests) == times
    (failed,) = ada.proposals
    assert failed.state == "failed" and not failed.items and ada.position == 0
    with StubModel([NOTHING, KEPT]) as stub:
        writer(monkeypatch, stub)
        assert ada.execute(ada.run()).is_paused()
    newer = ada.proposals[0]
    assert newer.id != failed.id and newer.window == failed.window and newer.open


def test_a_run_above_its_budget_refuses_and_says_how_to_go_on(
    sleeper: Callable[[str], Sleeper], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = sleeper("dear")
    monkeypatch.setenv("WELLKEPT_LLM_TOKENS_A_RUN", "600")
    with StubModel(NOTHING) as stub:
        writer(monkeypatch, stub)
        state = ada.execute(ada.run())
        assert state.is_failed() and "llm_tokens_a_run" in state.message
        assert not stub.requests
    assert ada.position == 0


def test_the_panel_objects_beside_the_items_and_a_failing_member_is_missing(
    sleeper: Callable[[str], Sleeper], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = sleeper("mixer")
    doubt = "Only one session says so, and it may have meant another machine. Ask once more."
    objection = {"objections": [{"change": 1, "paragraph": doubt}]}
    with (
        StubModel([NOTHING, KEPT]) as own,
        StubModel(objection) as birch,
        StubModel(Answer("Insufficient balance", 402)) as cedar,
    ):
        writer(monkeypatch, own)
        panel(monkeypatch, birch, cedar)
        run = ada.run()
        assert ada.execute(run).is_paused()
        assert len(own.requests) == 2 and len(birch.requests) == len(cedar.requests) == 1
        assert CHANGE.format(name="mixer") in birch.sent
    (proposal,) = ada.proposals
    told = " ".join(proposal.notices)
    assert "openai/birch objects to 1 of 1" in told and "openai/cedar is missing" in told
    (item,) = proposal.open
    assert item.detail["objections"] == [{"model": "openai/birch", "says": doubt}]
    assert item.detail["panel"] == ["openai/birch"]
    assert set(proposal.cost["models"]) == {"openai/stub", "openai/birch", "openai/cedar"}


def test_a_panel_of_the_writers_own_maker_is_refused_before_anything_is_sent(
    sleeper: Callable[[str], Sleeper], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = sleeper("clock")
    with StubModel(NOTHING) as own, StubModel(NOTHING) as other:
        writer(monkeypatch, own)
        panel(monkeypatch, other, other)
        monkeypatch.setenv("WELLKEPT_PANEL_VENDORS", '["Birch", "acme"]')
        state = ada.execute(ada.run())
        assert state.is_failed() and "made by acme" in state.message
        assert not own.requests and not other.requests
    assert not ada.proposals


def test_a_decision_taken_while_the_run_is_gone_is_applied_by_the_next(
    sleeper: Callable[[str], Sleeper],
) -> None:
    ada = sleeper("door")
    first = ada.run()
    assert ada.execute(first).is_paused()
    (proposal,) = ada.proposals
    decide(ada.desk.database, proposal.id, Decision("apply all"))  # and killed right here
    again = ada.run(proposal=proposal.id)
    state = ada.execute(again)
    assert state.is_completed() and str(first) in state.message  # the first one still waits
    assert ada.desk.resume(first, {"decision": "apply none"}) == "ACCEPT"
    assert ada.execute(first).is_completed()
    assert "03:30" in ada.note and ada.position == proposal.window["until"]


def test_the_form_of_a_run_by_hand_asks_for_nothing(served: Desk) -> None:
    from prefect.utilities.callables import parameter_schema

    from flows.dream import dream

    schema = parameter_schema(dream)
    assert not schema.required
    assert {name: one["default"] for name, one in schema.properties.items()} == {
        "limit": 0, "proposal": 0,
    }  # fmt: skip
    assert all(one["description"] for one in schema.properties.values())
