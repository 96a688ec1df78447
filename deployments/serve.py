"""Serves the flows: `python -m deployments.serve`, kept alive by `wellkept up`.

Waits for Prefect, repairs what the last stop left, registers the deployments, then looks
for their runs. The lock is taken when everything is registered: it means ready.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
import time
from contextlib import closing
from uuid import UUID

from deployments import orchestrator
from deployments.children import ROUTINES_LOCK
from deployments.dispatch import told
from memory_core import paths
from memory_core.errors import Permanent, WellkeptError
from memory_core.server.lock import ProcessLock
from memory_core.settings import Settings, load
from memory_core.store.database import Database

log = logging.getLogger("wellkept.serve")
WAIT_S = 180.0
RETRY_S = 2.0
TOGETHER = 2  # runs at once; more than three writers make Prefect's SQLite stumble
_POLL_S = 0.25


def lock() -> ProcessLock:
    """Held by the process that serves the flows, once it does."""
    return ProcessLock(paths.home() / ROUTINES_LOCK)


def main() -> int:
    """Serve until a signal ends it; the exit code."""
    os.umask(0o077)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)  # a line for every look for work
    try:
        settings = load()
        os.environ.update(orchestrator.environment(settings))
        _await_prefect(settings)
        asyncio.run(_serve(settings))
    except WellkeptError as error:
        print(f"routines: {error}", file=sys.stderr)
        return 1
    return 0


def _await_prefect(settings: Settings) -> None:
    until = time.monotonic() + WAIT_S
    while not orchestrator.answers(settings):
        if time.monotonic() > until:
            raise Permanent(
                f"Prefect does not answer at {orchestrator.api_url(settings)}",
                remedy=f"see {paths.log_folder() / 'orchestrator.log'}",
            )
        time.sleep(_POLL_S)


async def _serve(settings: Settings) -> None:
    from prefect.client.orchestration import get_client
    from prefect.runner import Runner

    from deployments.routines import ROUTINES, register

    runner = Runner(name="wellkept", limit=TOGETHER, query_seconds=1, pause_on_shutdown=False)
    async with get_client() as client:
        known = {each.name: await register(runner, client, each) for each in ROUTINES}
    await asyncio.to_thread(_mark_crashed, known)  # before the runner starts a run of its own
    ending, held = threading.Event(), lock()
    background = threading.Thread(target=_dispatch, args=(settings, known, ending), daemon=True)
    background.start()
    held.acquire("the routines' process")
    try:
        await runner.start()
    finally:
        ending.set()
        held.release()


def _mark_crashed(known: dict[str, UUID]) -> None:
    from prefect.client.orchestration import get_client

    from deployments import sweep

    with get_client(sync_client=True) as client:
        sweep.mark_crashed(client, list(known.values()))


def _dispatch(settings: Settings, known: dict[str, UUID], ending: threading.Event) -> None:
    """Sweep, then dispatch, beside the runner; whatever fails is logged and tried again.

    Nothing starts this thread anew: a locked database at the start must not end it.
    """
    while not ending.is_set():
        try:
            _swept(settings, known, ending)
        except Exception as error:  # Prefect's client raises of many libraries
            log.warning("not dispatching yet: %s", told(error))
            ending.wait(RETRY_S)


def _swept(settings: Settings, known: dict[str, UUID], ending: threading.Event) -> None:
    from prefect.client.orchestration import get_client

    from deployments import sweep
    from deployments.dispatch import Dispatcher

    database = Database(settings.resolved_database_url)
    with closing(database), get_client(sync_client=True) as client:
        dispatcher = Dispatcher(client, database, settings, known)
        sweep.drain(database, settings)
        sweep.restart(client, database, dispatcher)
        dispatcher.run(ending)


if __name__ == "__main__":
    sys.exit(main())
