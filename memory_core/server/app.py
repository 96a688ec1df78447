"""The warm server's HTTP face: routes, limits, and errors as JSON.

`/health`, `/index`, `/readings` and `/metrics` answer at once, also while models load. A
recall that cannot answer by its deadline answers `unavailable` with the reason.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Collection, Iterable
from concurrent.futures import Future
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.background import BackgroundTasks
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from memory_core.errors import BadInput, Conflict, NotFound, Transient, WellkeptError
from memory_core.recall.answer import Answer
from memory_core.server import bulk, protocol, reasons
from memory_core.server.bodies import (
    EmbedBody,
    ReadBody,
    RecallBody,
    RerankBody,
    SessionStartBody,
    ToolBody,
    parse,
)
from memory_core.server.engine import Engine
from memory_core.server.jobs import BUSY

log = logging.getLogger("wellkept.server")
_STATUS = {BadInput: 400, NotFound: 404, Conflict: 409, Transient: 503}

T = TypeVar("T")
Handler = Callable[[Request], Awaitable[Response]]


def build(engine: Engine, token: str = "", only: Collection[str] = ()) -> Starlette:
    """The application; with a `token` every request must carry it as a bearer.

    `only` names the paths that it serves; empty = all.
    """
    routes: list[tuple[str, str, Callable[[Engine, Request], Awaitable[Response]]]] = [
        ("GET", protocol.HEALTH, _health),
        ("GET", protocol.INDEX, _index),
        ("GET", protocol.READINGS, _readings),
        ("GET", protocol.METRICS, _metrics),
        ("POST", protocol.RECALL, _recall),
        ("POST", protocol.SESSION_START, _session_start),
        ("POST", protocol.EMBED, _embed),
        ("POST", protocol.RERANK, _rerank),
        ("POST", protocol.READ, _read),
        ("POST", protocol.TOOLS + "/{name}", _tool),
    ]

    def guarded(handler: Callable[[Engine, Request], Awaitable[Response]]) -> Handler:
        async def endpoint(request: Request) -> Response:
            _check_token(request, token)
            return await handler(engine, request)

        return endpoint

    return Starlette(
        routes=[
            Route(path, guarded(handler), methods=[verb])
            for verb, path, handler in routes
            if not only or path in only
        ],
        exception_handlers={
            WellkeptError: _on_error,
            HTTPException: _on_http_error,
            ClientDisconnect: _on_disconnect,
            Exception: _on_crash,
        },
    )


async def _health(engine: Engine, _request: Request) -> Response:
    return JSONResponse(engine.health())


async def _index(engine: Engine, _request: Request) -> Response:
    return JSONResponse(await asyncio.to_thread(engine.index))


async def _readings(engine: Engine, _request: Request) -> Response:
    return JSONResponse(engine.readings.as_json() | {"waiting": engine.worker.waiting})


async def _metrics(engine: Engine, _request: Request) -> Response:
    text, kind = await asyncio.to_thread(engine.metrics)
    return Response(text, media_type=kind)


async def _recall(engine: Engine, request: Request) -> Response:
    arrived = time.monotonic()
    body = parse(RecallBody, await _document(request))
    deadline = arrived + body.deadline_ms / 1000
    answer, (digest, problem) = await asyncio.gather(
        _within(engine, body, deadline), _changed_digest(engine, body, deadline)
    )
    spent = (time.monotonic() - arrived) * 1000
    stages = dict(answer.stages) | {"server": round(spent, 3)}
    if body.hook_ms is not None:
        stages["hook"] = round(spent + body.hook_ms, 3)
    gone = await request.is_disconnected()
    hook = body.hook_ms is not None
    why = reasons.kind(answer.reason) if answer.status == "unavailable" else ""
    if gone and hook:
        engine.readings.recall("unavailable", stages, reasons.GIVEN_UP)
    else:
        engine.readings.recall(answer.status, stages, why)
    document = answer.as_json(explain=body.explain) | {
        "vault": engine.vault_name,
        "notice": problem or (answer.reason if answer.status != "unavailable" else ""),
        "digest": digest,
    }
    after = BackgroundTasks()
    if body.session and not gone:  # what nobody reads was shown to nobody
        after.add_task(engine.remember_shown, body.session, answer, digest)
    if hook:
        after.add_task(engine.readings.keep)
    return JSONResponse(document, background=after)


async def _within(engine: Engine, body: RecallBody, deadline: float) -> Answer:
    """The engine's answer, or `unavailable` once the deadline has passed."""
    waiting: list[Future[Answer]] = []

    async def ask() -> Answer:
        context = await asyncio.to_thread(engine.context, body)
        waiting.append(engine.recall(body, context, deadline))
        return await asyncio.wrap_future(waiting[0])

    try:
        return await asyncio.wait_for(ask(), max(0.0, deadline - time.monotonic()))
    except TimeoutError:
        queued = waiting and not waiting[0].running()
        return Answer("unavailable", reason=BUSY if queued else reasons.TOO_LATE)
    except Transient as error:
        return Answer("unavailable", reason=error.message)


async def _changed_digest(engine: Engine, body: RecallBody, deadline: float) -> tuple[str, str]:
    """The digest if the session has another one, and why it cannot be had."""
    look = asyncio.to_thread(engine.memory.when_changed, body)
    try:
        return await asyncio.wait_for(look, max(0.0, deadline - time.monotonic())), ""
    except TimeoutError:
        return "", ""
    except WellkeptError as error:
        return "", error.message


async def _tool(engine: Engine, request: Request) -> Response:
    body = parse(ToolBody, await _document(request))
    name = request.path_params["name"]
    answer = await asyncio.to_thread(engine.memory.call, name, body)
    engine.readings.count(f"tool {name}" if answer["ok"] else "tool refused")
    return JSONResponse(answer)


async def _session_start(engine: Engine, request: Request) -> Response:
    body = parse(SessionStartBody, await _document(request))
    return JSONResponse(await asyncio.to_thread(engine.session_start, body))


async def _embed(engine: Engine, request: Request) -> Response:
    body = parse(EmbedBody, await _document(request))
    models = engine.models()
    vectors = await _gathered(bulk.embed(engine.worker, models, body.texts))
    engine.readings.count("embedded", len(vectors))
    assert models.embedder
    reads = [models.embedder.reads(text) for text in body.texts]
    return JSONResponse({"vectors": vectors, "reads": reads, "model": models.embedder.model})


async def _rerank(engine: Engine, request: Request) -> Response:
    body = parse(RerankBody, await _document(request))
    models = engine.models()
    scores = await _gathered(bulk.rerank(engine.worker, models, body.query, body.passages))
    engine.readings.count("reranked", len(scores))
    return JSONResponse({"scores": scores, "model": models.reranker and models.reranker.model})


async def _read(engine: Engine, request: Request) -> Response:
    body = parse(ReadBody, await _document(request))
    models = engine.models()
    groups = [(group.query, group.passages) for group in body.groups]
    scores = await _gathered(bulk.read(engine.worker, models, groups))
    engine.readings.count("reranked", sum(map(len, scores)))
    return JSONResponse({"scores": scores, "model": models.reranker and models.reranker.model})


async def _gathered(jobs: Iterable[Future[list[T]]]) -> list[T]:
    """The results of small jobs, each queued when the one before is done."""
    found: list[T] = []
    for job in jobs:
        some: list[T] = await asyncio.wrap_future(job)
        found += some
    return found


async def _document(request: Request) -> dict[str, Any]:
    """The body's JSON object; raises for a long body, broken JSON or another type."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > protocol.BODY_BYTES:
            raise HTTPException(413, f"the body is longer than {protocol.BODY_BYTES} bytes")
    try:
        document = json.loads(bytes(body))
    except (ValueError, RecursionError):
        raise BadInput("the body is no valid JSON") from None
    if not isinstance(document, dict):
        raise BadInput("the body is no JSON object")
    return document


def _check_token(request: Request, token: str) -> None:
    shown = request.headers.get("authorization", "").removeprefix("Bearer ")
    if token and not secrets.compare_digest(shown.encode(), token.encode()):
        raise HTTPException(401, "the token is missing or wrong")


async def _on_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, WellkeptError)
    status = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 400)
    return _refused(status, error.message, error.remedy, type(error).__name__)


async def _on_http_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _refused(error.status_code, error.detail, "", "BadInput")


async def _on_disconnect(_request: Request, _error: Exception) -> Response:
    return Response(status_code=400)  # nobody reads it


async def _on_crash(_request: Request, error: Exception) -> Response:
    log.error("a request failed", exc_info=error)
    return _refused(500, f"the memory server failed with {type(error).__name__}", "see its log", "")


def _refused(status: int, message: str, remedy: str, kind: str) -> Response:
    document = {"error": message, "remedy": remedy, "transient": status == 503, "kind": kind}
    return JSONResponse(document, status_code=status)
