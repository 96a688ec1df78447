"""Optimize from the scores to a proposal, to what was applied, and to the scores again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from memory_core.benchmark import history
from memory_core.proposals import opening, queue, windows
from memory_core.proposals.decision import Decision, decide
from memory_core.routines import optimizing
from memory_core.testing import KEY, Answer, StubModel
from tests.benchmark import shelf
from tests.benchmark.shelf import REPEATED
from tests.flows.desk import Desk
from tests.flows.workshop import Keeper, artifact, laid


@pytest.fixture(scope="module")
def floored(kept: tuple[dict[str, str], Desk]) -> Iterator[Desk]:
    """The shared desk with notes, both sets and a floor."""
    with laid(*kept) as desk:
        yield desk


@pytest.fixture
def keeper(floored: Desk, served: Desk, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Keeper]:
    """A user of that name; the always-loaded file says what a note says."""
    from flows.optimize import optimize

    def made(name: str) -> Keeper:
        monkeypatch.setenv("WELLKEPT_USER", name)
        (served.vault / "MEMORY.md").write_text(shelf.NOTES["MEMORY.md"], "utf-8")
        served.git("add", "MEMORY.md")
        served.git("commit", "--allow-empty", "-qm", "Say it twice")
        return Keeper(served, name, optimize)

    return made


def test_memory_is_scored_audited_changed_and_scored_again(
    keeper: Callable[[str], Keeper],
) -> None:
    kari = keeper("kari")
    run = kari.run()
    assert kari.execute(run).is_paused()
    (proposal,) = kari.proposals
    before = proposal.window["scores"]
    assert before["working"]["scores"]["questions"] == 4
    assert before["heldout"]["scores"]["questions"] == 3
    (item,) = [one for one in proposal.open if one.before.strip() == REPEATED]
    assert item.action == "drop" and item.target == "MEMORY.md"
    assert "characters carried in each session" in item.detail["effect"]
    findings = proposal.window["findings"]
    assert {one["number"] for one in findings if one["number"]} == {
        one.number for one in proposal.numbered
    }
    answer = {"decision": "apply chosen", "chosen": [item.number]}
    assert kari.desk.resume(run, answer) == "ACCEPT"
    state = kari.execute(run)
    assert state.is_completed()
    assert "carried: expected -36 characters, measured -36: as expected" in state.message
    assert "hit@3: expected +0.0 points, measured +0.0: as expected" in state.message
    assert REPEATED not in kari.always_loaded
    (proposal,) = kari.proposals
    runs = [history.get(kari.desk.database, told["working"]["run"]) for told in (
        before, proposal.window["after"]["scores"])]  # fmt: skip
    assert runs[0].id != runs[1].id and runs[0].judge == runs[1].judge
    report = artifact(f"optimize-{proposal.id}")
    assert "## Scores before" in report and "## After applying" in report
    assert item.detail["effect"].split(";")[0] in report.replace("\\", "")


def test_a_newer_run_takes_over_what_nobody_decided(keeper: Callable[[str], Keeper]) -> None:
    ida = keeper("ida")
    first = ida.run()
    assert ida.execute(first).is_paused()
    assert ida.execute(ida.run()).is_paused()
    newer, older = ida.proposals
    assert (newer.state, older.state) == ("open", "superseded")
    assert {one.before for one in older.numbered} <= {one.before for one in newer.open}
    assert len(newer.open) <= 7


def test_what_was_skipped_comes_first_the_next_time(keeper: Callable[[str], Keeper]) -> None:
    ole = keeper("ole")
    run = ole.run()
    assert ole.execute(run).is_paused()
    offered = ole.proposals[0].numbered
    assert ole.desk.resume(run, {"decision": "apply none"}) == "ACCEPT"
    assert ole.execute(run).is_completed()
    assert "after" in ole.proposals[0].window and REPEATED in ole.always_loaded
    assert ole.execute(ole.run()).is_paused()
    again = ole.proposals[0].numbered
    assert [one.before for one in again][: len(offered)] == [one.before for one in offered]
    assert all(one.carried for one in again[: len(offered)])


def test_a_second_run_at_once_ends_and_names_the_first(keeper: Callable[[str], Keeper]) -> None:
    per = keeper("per")
    first = per.run()
    draft = opening.open_anew(
        per.desk.database, routine="optimize", user="per",
        subject=optimizing.subject(per.desk.vault, "per"), window={},
    )  # fmt: skip
    opening.take(per.desk.database, draft.id, str(first), lambda _: True)
    state = per.execute(per.run())
    assert state.is_completed() and str(first) in state.message
    assert per.execute(first).is_paused()
    assert len(per.proposals) == 1


def test_a_run_that_died_while_it_drafted_is_begun_anew(keeper: Callable[[str], Keeper]) -> None:
    eva = keeper("eva")
    draft = opening.open_anew(
        eva.desk.database, routine="optimize", user="eva",
        subject=optimizing.subject(eva.desk.vault, "eva"), window={},
    )  # fmt: skip
    opening.take(eva.desk.database, draft.id, str(uuid4()), lambda _: False)
    assert eva.execute(eva.run()).is_paused()
    newer, lost = eva.proposals
    assert (newer.state, lost.state) == ("open", "failed")


def test_what_was_applied_before_the_run_died_is_scored_by_the_next(
    keeper: Callable[[str], Keeper],
) -> None:
    from prefect.client.orchestration import get_client
    from prefect.states import Crashed

    from deployments import sweep
    from deployments.dispatch import Dispatcher
    from memory_core.proposals.apply import apply

    liv = keeper("liv")
    run = liv.run()
    assert liv.execute(run).is_paused()
    (proposal,) = liv.proposals
    decide(liv.desk.database, proposal.id, Decision("apply all"))
    apply(liv.desk.database, liv.desk.vault, liv.desk.settings, proposal.id)  # and killed here
    with get_client(sync_client=True) as client:
        client.set_flow_run_state(run, Crashed(), force=True)
        dispatcher = Dispatcher(client, liv.desk.database, liv.desk.settings, liv.desk.runs)
        rows = _restarted(client, liv, dispatcher, sweep)
    assert rows == [{"proposal": proposal.id}]
    again = liv.run(proposal=proposal.id)
    assert liv.execute(again).is_completed()
    assert liv.proposals[0].window["after"]["said"]
    log = liv.desk.git("log", "--format=%B")
    assert log.count(f"Proposal-Id: {proposal.id}-") == 1
    with get_client(sync_client=True) as client:
        dispatcher = Dispatcher(client, liv.desk.database, liv.desk.settings, liv.desk.runs)
        assert _restarted(client, liv, dispatcher, sweep) == []


def _restarted(client: Any, keeper: Keeper, dispatcher: Any, sweep: Any) -> list[dict[str, Any]]:
    """The parameters with which the sweep starts runs for the keeper's proposals."""
    asked: list[dict[str, Any]] = []
    own = {one.id for one in keeper.proposals}
    dispatcher.start_anew = lambda _routine, values, _key: asked.append(values)
    sweep.restart(client, keeper.desk.database, dispatcher)
    return [values for values in asked if values.get("proposal") in own]


def test_a_server_that_is_gone_fails_the_run_and_the_next_begins_anew(
    keeper: Callable[[str], Keeper], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tor = keeper("tor")
    monkeypatch.setattr("flows.model_server.ask_model_server.retry_delay_seconds", [0.1] * 6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
        patch.setattr("memory_core.server.client.Client.call", _gone)
        state = tor.execute(tor.run())
    assert state.is_failed()
    (failed,) = tor.proposals
    assert failed.state == "failed" and not failed.items
    assert tor.execute(tor.run()).is_paused()
    assert tor.proposals[0].state == "open"


def _gone(*_: object, **__: object) -> Any:
    from memory_core.errors import ServerUnavailable

    raise ServerUnavailable("the memory server does not answer")


def test_a_language_model_that_refuses_leaves_the_audit_standing(
    keeper: Callable[[str], Keeper], monkeypatch: pytest.MonkeyPatch
) -> None:
    una = keeper("una")
    with StubModel(Answer("Insufficient balance", 402)) as stub:
        for name, value in (("MODEL", "openai/stub"), ("API_BASE", stub.url), ("API_KEY", KEY)):
            monkeypatch.setenv(f"WELLKEPT_LLM_{name}", value)
        assert una.execute(una.run()).is_paused()
        assert len(stub.requests) == 1
    (proposal,) = una.proposals
    assert any(told.startswith("No question was drafted") for told in proposal.notices)
    assert any(one.before.strip() == REPEATED for one in proposal.open)


def test_a_drafted_question_is_measured_offered_and_asked_from_then_on(
    keeper: Callable[[str], Keeper], monkeypatch: pytest.MonkeyPatch
) -> None:
    ulf = keeper("ulf")
    query = "on which evening do we sing together?"
    asked = {"note": "choir.md", "point": 1, "answer": "on Tuesdays at 19:30", "query": query}
    with StubModel({"questions": [asked]}) as stub:
        for name, value in (("MODEL", "openai/stub"), ("API_BASE", stub.url), ("API_KEY", KEY)):
            monkeypatch.setenv(f"WELLKEPT_LLM_{name}", value)
        run = ulf.run()
        assert ulf.execute(run).is_paused()
        (proposal,) = ulf.proposals
        (item,) = [one for one in proposal.open if one.kind == "question"]
        assert query in item.after and "the test: 4 -> 5 questions" in item.detail["effect"]
        answer = {"decision": "apply chosen", "chosen": [item.number]}
        assert ulf.desk.resume(run, answer) == "ACCEPT"
        assert ulf.execute(run).is_completed()
    assert query in (ulf.desk.vault / ".wellkept/benchmark/working.jsonl").read_text("utf-8")
    (proposal,) = ulf.proposals
    assert proposal.window["after"]["scores"]["working"]["scores"]["questions"] == 5
    shelf.lay(ulf.desk.vault)


def test_without_a_vault_there_is_nothing_to_do(
    keeper: Callable[[str], Keeper], monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = keeper("ann")
    monkeypatch.delenv("WELLKEPT_VAULT")
    state = ann.execute(ann.run())
    assert state.is_completed() and "no vault" in state.message and not ann.proposals


def test_without_questions_the_rest_is_audited_and_the_report_says_so(
    keeper: Callable[[str], Keeper],
) -> None:
    bo = keeper("bo")
    folder = bo.desk.vault / ".wellkept" / "benchmark"
    folder.rename(folder.with_name("aside"))
    try:
        assert bo.execute(bo.run()).is_paused()
    finally:
        folder.with_name("aside").rename(folder)
    (proposal,) = bo.proposals
    told = " ".join(proposal.notices)
    assert "question" in told and "working" not in proposal.window["scores"]
    assert any(one.before.strip() == REPEATED for one in proposal.open)


def test_the_form_of_a_run_by_hand_asks_for_nothing(served: Desk) -> None:
    from prefect.utilities.callables import parameter_schema

    from flows.optimize import optimize

    schema = parameter_schema(optimize)
    assert not schema.required and schema.properties["proposal"]["default"] == 0


def test_notes_of_a_window_are_kept_beside_it(served: Desk) -> None:
    draft = opening.open_anew(
        served.database, routine="optimize", user="nobody", subject="nowhere", window={"vault": "x"}
    )
    kept = windows.keep(served.database, draft.id, scores={"trend": "none"})
    assert dict(kept.window) == {"vault": "x", "scores": {"trend": "none"}}
    queue.fail(served.database, draft.id, "a test")
