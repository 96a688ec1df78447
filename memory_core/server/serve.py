"""Runs the warm server in the foreground until it is asked to end.

One server a state folder: a lock held for life refuses a second one.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from collections.abc import Callable, Iterator

import uvicorn

from memory_core import paths
from memory_core.server.app import build
from memory_core.server.engine import Engine
from memory_core.server.listener import Listener, listen
from memory_core.server.lock import ProcessLock
from memory_core.settings import Settings

LOCK = "server.lock"
_GRACE_SECONDS = 2


class _Uvicorn(uvicorn.Server):
    """Leaves signals to `_run`, which ends in good order and with 0."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def serve(settings: Settings, told: Callable[[str], None] = lambda _: None) -> None:
    """Serve until SIGTERM or SIGINT; `told` gets the address once it listens.

    Raises `Conflict` when another server lives on this state folder.
    """
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    lock = ProcessLock(paths.ensure_home() / LOCK)
    lock.acquire("the memory server")
    try:
        listener = listen(settings.transport)
        try:
            engine = Engine(settings)
            engine.start()
            told(listener.address)
            asyncio.run(_run(engine, listener))
            engine.stop()
        finally:
            listener.close()
    finally:
        lock.release()


async def _run(engine: Engine, listener: Listener) -> None:
    config = uvicorn.Config(
        build(engine, listener.token),
        log_config=None,
        access_log=False,
        lifespan="off",
        loop="asyncio",
        http="h11",
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    server = _Uvicorn(config)

    def end() -> None:
        server.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, end)
    await server.serve(sockets=[listener.socket])
