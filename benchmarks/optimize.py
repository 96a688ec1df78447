"""A first optimize run on a copy of the demo vault, as `wellkept up` would do it: its report.

`python -m benchmarks.optimize [--vault FOLDER] [--home FOLDER] [--apply]` starts everything,
measures the floor, starts the deployment, waits for the proposal and prints the report. With
`--home` the folder is kept, and a second call reads nothing twice; `--apply` then applies
everything that is offered and prints what came of it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

DEMO = Path(__file__).parents[1] / "demo" / "vault"
LONGEST = 4 * 3600  # seconds of a run


@contextmanager
def running(vault: Path, home: str) -> Iterator[None]:
    """Everything up, on a copy of the vault under git."""
    from deployments import supervisor

    with tempfile.TemporaryDirectory(prefix="wellkept-optimize-") as temporary:
        folder = Path(home).resolve() if home else Path(temporary)
        copy = folder / "vault"
        if not copy.exists():
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copytree(vault, copy)
            person = ["-c", "user.name=Kari", "-c", "user.email=kari@example.org"]
            for arguments in (["init", "-q"], ["add", "."], [*person, "commit", "-qm", "Begin"]):
                subprocess.run(["git", "-C", str(copy), *arguments], check=True)
        own = {"HOME": str(folder / "home"), "VAULT": str(copy), "MEASURE_FLOOR": "false"}
        os.environ.update({f"WELLKEPT_{key}": value for key, value in own.items()})
        supervisor.run_detached(lambda said: print(said, flush=True))
        try:
            yield
        finally:
            supervisor.stop(lambda _: None)


def ready() -> None:
    """Wait for the models, and measure the floor unless there is one."""
    from memory_core import paths
    from memory_core.benchmark import calibrate
    from memory_core.benchmark.bench import Bench
    from memory_core.benchmark.scratch import Scratch
    from memory_core.errors import ServerUnavailable
    from memory_core.server.client import Client
    from memory_core.settings import load
    from memory_core.store.database import Database
    from memory_core.vault.vault import Vault

    settings, client = load(), Client(600)
    assert settings.vault

    def health() -> bool:
        try:
            found = client.call("/health")
        except ServerUnavailable:
            return False
        return found["status"] == "ready" and not found["building"]

    until(health)
    ask = lambda operation, payload: client.call(f"/{operation}", payload or None)  # noqa: E731
    bench = Bench.of(settings, ask, paths.cache_file())
    if bench.floor is not None:
        return
    notes = Vault(settings.vault).scan().notes
    measured, _ = calibrate.of_vault(
        Scratch(bench, notes), settings.vault, notes, margin=settings.floor_margin,
        progress=lambda done, of: print(f"floor: {done} of {of}", flush=True),
    )  # fmt: skip
    database = Database(settings.resolved_database_url)
    calibrate.keep(database, measured, judge=bench.judge, vault=str(settings.vault))


def until(look: Callable[[], Any]) -> Any:
    """What `look` finds, once it finds something."""
    begun = time.monotonic()
    while not (found := look()):
        if time.monotonic() - begun > LONGEST:
            raise SystemExit("nothing happened; see the logs")
        time.sleep(1)
    return found


def run(*, apply: bool) -> None:
    """Start the deployment and print the report; apply what is offered and print it again."""
    from prefect.client.orchestration import get_client

    from memory_core.proposals import queue
    from memory_core.proposals.apply import apply as carry_out
    from memory_core.proposals.decision import Decision, decide
    from memory_core.routines.optimize import page
    from memory_core.settings import load
    from memory_core.store.database import Database

    settings = load()
    assert settings.vault
    database = Database(settings.resolved_database_url)
    with get_client(sync_client=True) as client:
        deployment = client.read_deployment_by_name("optimize/optimize")
        begun, own = time.monotonic(), client.create_flow_run_from_deployment(deployment.id)

        def state() -> Any:
            return client.read_flow_run(own.id).state

        until(lambda: state().is_final() or state().is_paused())
        print(f"{time.monotonic() - begun:.0f} s until it was {state().name}", flush=True)
        (number,) = [one.id for one in queue.listed(database, limit=1)]
        print(page.markdown(queue.get(database, number)), flush=True)
        if apply and state().is_paused():
            decide(database, number, Decision("apply all"), root=settings.vault, settings=settings)
            carry_out(database, settings.vault, settings, number)
            until(lambda: state().is_final())
            print(state().message, page.markdown(queue.get(database, number)), sep="\n\n")


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vault", type=Path, default=DEMO)
    parser.add_argument("--home", default="", help="a folder that is kept")
    parser.add_argument("--apply", action="store_true", help="apply everything that is offered")
    chosen = parser.parse_args()
    with running(chosen.vault, chosen.home):
        from deployments import orchestrator
        from memory_core.settings import load

        os.environ.update(orchestrator.environment(load()))
        ready()
        run(apply=chosen.apply)


if __name__ == "__main__":
    main()
