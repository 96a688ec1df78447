"""Runs the warm server in the foreground until it is asked to end.

One server a state folder: a lock held for life refuses a second one.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
from collections.abc import Callable, Iterator
from typing import Literal

import uvicorn
from starlette.types import ASGIApp

from memory_core import paths
from memory_core.errors import Permanent
from memory_core.server import loopback, protocol
from memory_core.server.app import build
from memory_core.server.engine import Engine
from memory_core.server.listener import Listener, listen
from memory_core.server.lock import ProcessLock
from memory_core.settings import Settings

log = logging.getLogger("wellkept.server")
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
            idle = engine.stop()
        finally:
            listener.close()
    finally:
        lock.release()
    if not idle:
        os._exit(0)  # a thread inside the models would abort the interpreter's own end


async def _run(engine: Engine, listener: Listener) -> None:
    running = [(_server(build(engine, listener.token), lifespan="off"), listener.socket)]
    running += [*_mcp(engine), *_metrics(engine)]

    def end() -> None:
        for server, _ in running:
            server.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, end)
    await asyncio.gather(*(server.serve(sockets=[opened]) for server, opened in running))


def _mcp(engine: Engine) -> Iterator[tuple[_Uvicorn, socket.socket]]:
    """MCP over HTTP, with the setting `mcp_port`."""
    if not (port := engine.settings.mcp_port):
        return
    from memory_core.server import mcp_http

    for opened in _opened(port, "MCP over HTTP", "mcp_port"):
        app = mcp_http.build(engine.memory, loopback.kept_token("mcp.token"))
        yield _server(app, lifespan="on"), opened


def _metrics(engine: Engine) -> Iterator[tuple[_Uvicorn, socket.socket]]:
    """Prometheus's metrics alone, with the setting `metrics_port`."""
    if not (port := engine.settings.metrics_port):
        return
    for opened in _opened(port, "the metrics", "metrics_port"):
        app = build(engine, loopback.kept_token("metrics.token"), only=(protocol.METRICS,))
        yield _server(app, lifespan="off"), opened


def _opened(port: int, what: str, setting: str) -> Iterator[socket.socket]:
    """The listening socket; none for a port that is taken, and the rest is served all the same."""
    try:
        yield loopback.open_socket(port, what, setting)
    except Permanent as error:
        log.error("%s", error)


def _server(app: ASGIApp, lifespan: Literal["on", "off"]) -> _Uvicorn:
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan=lifespan,
        loop="asyncio",
        http="h11",
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    return _Uvicorn(config)
