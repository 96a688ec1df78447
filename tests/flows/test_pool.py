"""`prefect.yaml` deploys the same flows to a work pool, where a worker runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from memory_core import paths
from memory_core.proposals import queue
from tests.flows.desk import Desk

ROOT = Path(__file__).parents[2]
RULE = "for every session: never lend the ladder without asking me"


def prefect(*arguments: str, cwd: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "prefect", "--no-prompt", *arguments],
        cwd=cwd, env=os.environ, capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_worker_runs_the_wrap_until_it_waits_for_a_person(served: Desk) -> None:
    from prefect.client.orchestration import get_client

    served.recorded("pool", ("user", RULE), ("assistant", "Understood."))
    prefect("work-pool", "create", "wellkept", "--type", "process", cwd=paths.home())
    prefect("deploy", "--all", cwd=ROOT)
    with get_client(sync_client=True) as client:
        deployment = client.read_deployment_by_name("wrap/wrap")
        values = {"session": "pool"}
        run = client.create_flow_run_from_deployment(deployment.id, parameters=values)
    prefect("worker", "start", "--pool", "wellkept", "--run-once", cwd=paths.home())
    assert served.state(run.id).is_paused()
    found = [each for each in queue.waiting(served.database) if each.subject == "pool"]
    assert len(found) == 1 and "ladder" in found[0].open[0].after
    with get_client(sync_client=True) as client:
        client.delete_deployment(deployment.id)  # others serve it without a pool
