"""The process that serves the flows: from a session's end to an applied change, whatever dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from deployments.serve import lock
from memory_core import paths
from memory_core.proposals import queue
from memory_core.proposals.apply import apply
from memory_core.proposals.decision import Decision, decide
from memory_core.proposals.proposal import Proposal
from memory_core.record import sessions
from tests.flows.desk import Desk

RULE = "for every session: never {} without asking me first"


@contextmanager
def serving(log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The real process, ready; ended in good order unless it is gone already."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-I", "-m", "deployments.serve"],
            cwd=paths.home(),  # Prefect reads settings of the folder that it starts in
            stdout=output,
            stderr=output,
        )
    try:
        eventually(lambda: process.poll() is not None or lock().held(), log)
        assert process.poll() is None, log.read_text()
        yield process
    finally:
        process.terminate()
        process.wait(30)


def eventually(look: Callable[[], Any], log: Path, seconds: float = 90) -> Any:
    until = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < until, log.read_text()[-4000:]
        time.sleep(0.1)
    return found


def ended(desk: Desk, session: str, what: str) -> None:
    """Record a session with one rule in it, and end it as the session-end hook does."""
    desk.recorded(session, ("user", RULE.format(what)), ("assistant", "Understood."))
    with desk.database.write() as writing:
        assert sessions.end(writing, session, "exit")


def answered(desk: Desk, proposal: Proposal, log: Path, answer: dict[str, Any]) -> None:
    """Answer the form, which Prefect stores a moment after the run is suspended."""
    run = UUID(proposal.flow_run)
    eventually(lambda: desk.resume(run, answer) == "ACCEPT", log, 10)


def waiting(desk: Desk, session: str) -> Proposal | None:
    """The session's proposal, once its run is suspended."""
    found = [each for each in queue.waiting(desk.database) if each.subject == session]
    if found and found[0].flow_run and desk.state(UUID(found[0].flow_run)).is_paused():
        return found[0]
    return None


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("serve") / "serve.log"


@pytest.fixture(scope="module")
def process(kept: tuple[dict[str, str], Desk], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """One process for all tests; the last of them kills it."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in kept[0].items():
            patch.setenv(name, value)
        with serving(log) as running:
            yield running


def test_a_session_that_ended_is_offered_decided_in_the_ui_and_applied(
    process: object, served: Desk, log: Path
) -> None:
    ended(served, "ui", "print invoices")
    proposal = eventually(lambda: waiting(served, "ui"), log)
    answered(served, proposal, log, {"decision": "apply all"})
    eventually(lambda: served.get(proposal.id).state == "applied", log)
    eventually(lambda: served.get(proposal.id).flow_run == "", log)
    text = "".join(file.read_text("utf-8") for file in served.vault.glob("*.md"))
    assert text.count("print invoices") == 1


def test_a_decision_at_the_terminal_ends_the_waiting_run(
    process: object, served: Desk, log: Path
) -> None:
    ended(served, "terminal", "send the newsletter")
    proposal = eventually(lambda: waiting(served, "terminal"), log)
    decide(served.database, proposal.id, Decision("apply none"))
    apply(served.database, served.vault, served.settings, proposal.id)
    run = UUID(proposal.flow_run)
    eventually(lambda: served.state(run).is_completed(), log)
    eventually(lambda: served.get(proposal.id).flow_run == "", log)


def test_a_newer_run_of_the_same_session_cancels_the_older_wait(
    process: object, served: Desk, log: Path
) -> None:
    ended(served, "twice", "delete a volume")
    first = eventually(lambda: waiting(served, "twice"), log)
    before = ("user", RULE.format("delete a volume")), ("assistant", "Understood.")
    rule = RULE.format("unplug the freezer")
    served.recorded("twice", *before, ("user", rule), ("assistant", "Understood."))
    with served.database.write() as writing:
        assert sessions.end(writing, "twice", "exit")
    eventually(lambda: served.get(first.id).state == "superseded", log)
    eventually(lambda: served.state(UUID(first.flow_run)).is_cancelled(), log)
    second = eventually(lambda: waiting(served, "twice"), log)
    texts = " ".join(item.after for item in second.open)
    assert "delete a volume" in texts and "unplug the freezer" in texts


def test_forgetting_a_session_takes_it_out_of_what_waits_and_of_prefect(
    process: object, served: Desk, log: Path
) -> None:
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import ArtifactFilter

    ended(served, "forgotten", "mention the surprise party")
    proposal = eventually(lambda: waiting(served, "forgotten"), log)
    wanted = ArtifactFilter.model_validate({"key": {"any_": [f"proposal-{proposal.id}"]}})
    with get_client(sync_client=True) as client:
        assert client.read_artifacts(artifact_filter=wanted)
        sessions.forget(served.database, "forgotten", actor="user", reason="private")
        eventually(
            lambda: "surprise" not in str(client.read_artifacts(artifact_filter=wanted)), log
        )
        eventually(lambda: served.get(proposal.id).flow_run != proposal.flow_run, log)
    left = served.get(proposal.id)  # what earlier sessions left may still be offered in it
    assert "surprise" not in str(left)
    assert all(piece.session != "forgotten" for item in left.open for piece in item.evidence)
    assert left.state == ("open" if left.open else "superseded")


def test_two_requests_for_the_same_end_make_one_run(served: Desk, log: Path) -> None:
    from prefect.client.orchestration import get_client

    from deployments.dispatch import Dispatcher
    from flows.wrap import wrap

    served.start(wrap, {"session": "x"})
    with get_client(sync_client=True) as client:
        dispatcher = Dispatcher(client, served.database, served.settings, served.runs)
        values = {"session": "x", "until": 1}
        assert dispatcher.start("wrap", values, "k") == dispatcher.start("wrap", values, "k")


def test_without_prefect_the_process_says_where_it_looked(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = os.environ | {"WELLKEPT_PREFECT_URL": "http://127.0.0.1:9/api"}
    program = "from deployments import serve; serve.WAIT_S = 0.5; raise SystemExit(serve.main())"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "Prefect does not answer at http://127.0.0.1:9/api" in done.stderr


def test_a_run_killed_with_its_server_is_taken_up_at_the_next_start(
    process: subprocess.Popen[bytes], served: Desk, log: Path
) -> None:
    ended(served, "killed", "reboot the router")
    proposal = eventually(lambda: waiting(served, "killed"), log)
    process.send_signal(signal.SIGKILL)
    process.wait()
    run = UUID(proposal.flow_run)
    left(run)
    with serving(log):
        again = eventually(lambda: elsewhere(served, "killed", run), log)
        assert again.id == proposal.id and again.items == proposal.items
        answered(served, again, log, {"decision": "apply all"})
        eventually(lambda: served.get(proposal.id).state == "applied", log)
    assert served.git("log", "--format=%B").count(f"Proposal-Id: {proposal.id}-") == 1


def test_a_wrap_that_died_before_it_left_a_trace_is_owed(served: Desk) -> None:
    from memory_core.routines.window import owed
    from memory_core.store import outbox

    ended(served, "vanished", "mow the lawn")
    with served.database.read() as session:
        keys = [row.key for row in outbox.pending(session, outbox.WRAP)]
    with served.database.write() as session:
        for key in keys:
            outbox.done(session, key)
    (payload,) = [each for each, _ in owed(served.database) if each["session"] == "vanished"]
    queue.open_run(
        served.database, routine="wrap", subject="vanished", run="wrap:vanished:now",
        user="kari", scope="shop",
        window={"session": "vanished", "since": 0, "until": payload["sequence"]},
    )  # fmt: skip
    assert all(each["session"] != "vanished" for each, _ in owed(served.database))


def test_a_forgotten_session_owes_no_wrap(served: Desk) -> None:
    from memory_core.routines.window import owed
    from memory_core.store import outbox

    ended(served, "gone", "paint the fence")
    with served.database.write() as session:
        for row in outbox.pending(session, outbox.WRAP):
            outbox.done(session, row.key)
    sessions.forget(served.database, "gone", actor="user", reason="private")
    assert all(each["session"] != "gone" for each, _ in owed(served.database))


def left(run: UUID) -> None:
    """The run as a power cut leaves it: running, with no process behind it."""
    from prefect.client.orchestration import get_client
    from prefect.states import Running

    with get_client(sync_client=True) as client:
        client.set_flow_run_state(run, Running(), force=True)


def elsewhere(desk: Desk, session: str, run: UUID) -> Proposal | None:
    found = waiting(desk, session)
    return found if found and UUID(found.flow_run) != run else None
