"""Of a held-out question nothing but its outcome is to be found after a whole optimize run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text

from memory_core import paths
from memory_core.testing import KEY, StubModel
from tests.benchmark.shelf import REPEATED
from tests.flows.desk import Desk
from tests.flows.workshop import SECRETS, SETS, Keeper, laid

ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys
from uuid import UUID
from prefect.client.orchestration import get_client
from prefect.exceptions import Pause
from prefect.flow_engine import run_flow
from flows.optimize import optimize
with get_client(sync_client=True) as client:
    run = client.read_flow_run(UUID(sys.argv[1]))
try:
    run_flow(optimize, run, run.parameters)
except Pause:
    pass
"""


@pytest.fixture
def workshop(kept: tuple[dict[str, str], Desk]) -> Iterator[Desk]:
    with laid(*kept) as desk:
        yield desk


def executed(run: UUID) -> str:
    """Run the flow in a process of its own, with everything logged; what it printed."""
    loud = {
        "PYTHONPATH": str(ROOT), "PREFECT_LOGGING_LEVEL": "DEBUG",
        "PREFECT_LOGGING_TO_API_ENABLED": "true",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(run)],
        cwd=paths.home(), env=os.environ | loud, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout + done.stderr


def told_by_prefect(run: UUID) -> str:
    """Every log line, artifact, state, parameter and task run of a run."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import FlowRunFilter, LogFilter

    with get_client(sync_client=True) as client:
        own = FlowRunFilter.model_validate({"id": {"any_": [run]}})
        logs = LogFilter.model_validate({"flow_run_id": {"any_": [run]}})
        found: list[Any] = [
            client.read_flow_run(run),
            *client.read_flow_run_states(run),
            *client.read_logs(logs, limit=200),
            *client.read_task_runs(flow_run_filter=own, limit=200),
            *client.read_artifacts(flow_run_filter=own, limit=200),
        ]
    return "\n".join(one.model_dump_json() for one in found)


def rows(desk: Desk) -> str:
    """Every row of every table of ours."""
    from memory_core.store.tables import SQLModel

    with desk.database.read() as session:
        return "\n".join(
            str(tuple(row))
            for table in SQLModel.metadata.sorted_tables
            for row in session.execute(text(f'SELECT * FROM "{table.name}"'))
        )


def files(*folders: Path) -> dict[str, bytes]:
    """The bytes of every file below the folders; databases, logs and results included."""
    found = {}
    for folder in folders:
        for file in folder.rglob("*"):
            if file.is_file() and ".git" not in file.parts:
                found[str(file)] = file.read_bytes()
    return found


def test_no_prompt_artifact_log_or_row_holds_a_word_of_a_heldout_question(
    workshop: Desk, served: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flows.optimize import optimize

    monkeypatch.setenv("WELLKEPT_USER", "gro")
    kari = Keeper(served, "gro", optimize)
    with StubModel({"questions": []}) as stub:
        for name, value in (("MODEL", "openai/stub"), ("API_BASE", stub.url), ("API_KEY", KEY)):
            monkeypatch.setenv(f"WELLKEPT_LLM_{name}", value)
        run = kari.run()
        printed = executed(run)
        (proposal,) = kari.proposals
        assert proposal.state == "open", proposal.notices
        assert kari.desk.resume(run, {"decision": "apply all"}) == "ACCEPT"
        printed += executed(run)
        assert stub.requests
        sent = json.dumps(stub.requests, ensure_ascii=False)
    (proposal,) = kari.proposals
    assert proposal.window["after"]["scores"]["heldout"]["scores"]["questions"] == 3

    stored, prefect = rows(served), told_by_prefect(run)
    on_disk = files(paths.home(), Path(os.environ["PREFECT_HOME"]), served.vault)
    known = REPEATED.removeprefix("- ").removesuffix(".")  # the search looks where things are
    assert known in stored and known in prefect
    assert known.encode() in b"".join(on_disk.values())
    assert "'h001'" in stored or '"h001"' in stored
    heldout = str(served.vault / SETS[1])
    for secret in SECRETS:
        assert secret.encode() in on_disk[heldout]
        for place in (sent, printed, prefect, stored):
            assert secret not in place
        assert [f for f, held in on_disk.items() if secret.encode() in held] == [heldout]
