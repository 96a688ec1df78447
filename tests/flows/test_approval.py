"""A proposal waits without a process, is decided once and applied once."""

from __future__ import annotations

import json
import sqlite3
import threading
from dataclasses import replace

import pytest

from memory_core.proposals.apply import apply
from memory_core.proposals.decision import Decision, decide
from tests.flows.desk import Desk, rule


@pytest.fixture
def flow() -> object:
    """The flow around a hand-written proposal; imported once Prefect's server is known."""
    from tests.flows.handwritten import handwritten

    return handwritten


def waiting(desk: Desk, flow: object, *items: object) -> tuple[int, object]:
    """A proposal whose run is suspended."""
    proposal = desk.offer("wrap:s1:5", *(items or (rule(),)))
    run = desk.start(flow, {"number": proposal.id})
    assert desk.execute(flow, run).is_paused()
    return proposal.id, run


def test_an_approved_item_is_written_and_committed_once(desk: Desk, flow: object) -> None:
    number, run = waiting(desk, flow)
    assert desk.resume(run, {"decision": "apply all"}) == "ACCEPT"
    assert desk.execute(flow, run).is_completed()
    proposal = desk.get(number)
    assert proposal.state == "applied"
    assert (desk.vault / "deploys.md").read_text().count("Never deploy on a Friday.") == 1
    assert desk.git("log", "--format=%B").count("Proposal-Id:") == 1
    assert proposal.decision is not None and proposal.decision["surface"] == "UI"
    assert proposal.flow_run == ""


def test_an_empty_answer_decides_nothing(desk: Desk, flow: object) -> None:
    number, run = waiting(desk, flow)
    verdict = desk.resume(run, {})
    assert verdict.startswith("REJECT") and "decision" in verdict
    assert desk.get(number).state == "open" and desk.state(run).is_paused()


@pytest.mark.parametrize(
    "answer",
    [
        {"decision": "yes"},
        {"decision": "apply chosen", "chosen": [9]},
        {"decision": "apply all", "never": ["1"]},
        {"decision": "apply all", "unknown": 1},
    ],
)
def test_an_answer_outside_the_form_is_refused_before_the_run_wakes(
    desk: Desk, flow: object, answer: dict[str, object]
) -> None:
    number, run = waiting(desk, flow)
    assert desk.resume(run, answer).startswith("REJECT")
    assert desk.get(number).state == "open"


def test_an_answer_that_contradicts_itself_is_asked_again(desk: Desk, flow: object) -> None:
    number, run = waiting(desk, flow)
    assert desk.resume(run, {"decision": "apply chosen"}) == "ACCEPT"
    assert desk.execute(flow, run).is_paused()
    assert desk.get(number).state == "open"
    assert desk.resume(run, {"decision": "apply chosen", "chosen": [1]}) == "ACCEPT"
    assert desk.execute(flow, run).is_completed()
    assert desk.get(number).state == "applied"


def test_a_decision_at_the_terminal_ends_the_wait(desk: Desk, flow: object) -> None:
    number, run = waiting(desk, flow)
    decide(desk.database, number, Decision("apply all"))
    apply(desk.database, desk.vault, desk.settings, number)
    assert desk.resume(run, {"decision": "apply none"}) == "ACCEPT"
    assert desk.execute(flow, run).is_completed()
    proposal = desk.get(number)
    assert proposal.state == "applied" and proposal.decision is not None
    assert proposal.decision["surface"] == "terminal"
    assert desk.git("log", "--format=%B").count("Proposal-Id:") == 1


def test_a_second_answer_to_the_same_form_is_refused(desk: Desk, flow: object) -> None:
    _, run = waiting(desk, flow)
    assert desk.resume(run, {"decision": "apply all"}) == "ACCEPT"
    assert desk.resume(run, {"decision": "apply none"}) != "ACCEPT"


def test_a_rejected_run_writes_nothing(desk: Desk, flow: object) -> None:
    number, run = waiting(desk, flow)
    before = (desk.vault / "deploys.md").read_text()
    assert desk.resume(run, {"decision": "reject run"}) == "ACCEPT"
    assert desk.execute(flow, run).is_completed()
    assert desk.get(number).state == "rejected"
    assert (desk.vault / "deploys.md").read_text() == before


def test_a_run_that_lost_its_place_is_taken_up_by_another(desk: Desk, flow: object) -> None:
    number, first = waiting(desk, flow)
    assert desk.resume(first, {"decision": "apply all"}) == "ACCEPT"
    decide(desk.database, number, Decision("apply all", surface="UI"))  # and killed right here
    second = desk.start(flow, {"number": number})
    assert desk.execute(flow, second).is_completed()
    assert desk.execute(flow, first).is_completed()
    assert desk.git("log", "--format=%B").count("Proposal-Id:") == 1


def test_the_proposal_can_be_read_as_an_artifact(desk: Desk, flow: object) -> None:
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import ArtifactFilter

    number, _ = waiting(desk, flow)
    wanted = ArtifactFilter.model_validate({"key": {"any_": [f"proposal-{number}"]}})
    with get_client(sync_client=True) as client:
        artifacts = client.read_artifacts(artifact_filter=wanted)
    text = artifacts[-1].data
    assert "Never deploy on a Friday." in text and "never deploy on a Friday, in any" in text


def test_nothing_in_an_item_is_markup_above_the_form(desk: Desk, flow: object) -> None:
    from markdown_it import MarkdownIt
    from prefect.client.orchestration import get_client

    hostile = "![x](http://host/x.png) [apply](javascript:1) <script> **y**"
    item = replace(rule(), title=hostile, detail={"objections": [{"model": "m", "says": hostile}]})
    _, run = waiting(desk, flow, item)
    keys = desk.state(run).state_details.run_input_keyset
    with get_client(sync_client=True) as client:
        told = json.loads(client.read_flow_run_input(run, keys["description"]))
    tokens = MarkdownIt("commonmark").parse(told)
    inner = [child.type for token in tokens for child in token.children or ()]
    assert "ordered_list_open" in {token.type for token in tokens} and "1. add deploys" in told
    assert not {"image", "html_inline", "strong_open"} & set(inner)
    assert inner.count("link_open") == 1  # the whole proposal


def test_an_answer_given_while_the_database_is_locked_counts(
    desk: Desk, flow: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, run = waiting(desk, flow)
    assert desk.resume(run, {"decision": "apply all"}) == "ACCEPT"
    monkeypatch.setattr("memory_core.store.database.BUSY_SECONDS", 0.1)
    monkeypatch.setattr("flows.approval._WAITS", (0.1, 3.0, 10.0))
    other = sqlite3.connect(desk.database.engine.url.database or "", check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    later = threading.Timer(2.0, other.rollback)
    later.start()
    assert desk.execute(flow, run).is_completed()
    later.join()
    assert desk.get(number).state == "applied"
