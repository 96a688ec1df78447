"""The one road of every routine to the warm model server.

Routines get `ask_model_server` as an argument and never open the socket themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE

from flows.retries import JITTER, SERVER_WAITS, transient
from memory_core.errors import BadInput

BATCH = 64  # texts of one call; a bulk job lets requests of hooks go first
TIME_LIMIT_S = 120
_OPERATIONS = ("recall", "embed", "rerank", "read", "index", "health")


@task(
    name="ask-model-server",
    task_run_name="ask-model-server: {operation}",
    retries=len(SERVER_WAITS),
    retry_delay_seconds=SERVER_WAITS,
    retry_jitter_factor=JITTER,
    retry_condition_fn=transient,
    timeout_seconds=TIME_LIMIT_S,
    cache_policy=NO_CACHE,
    log_prints=False,
)
def ask_model_server(operation: str, payload: dict[str, Any]) -> dict[str, Any]:
    """Ask for `recall`, `embed`, `rerank`, `read`, `index` or `health` (server/protocol.py).

    Long lists of texts, passages or groups go in batches of `BATCH`. Raises `BadInput` for an
    unknown operation, and what the server's client raises.
    """
    from memory_core.server.client import Client

    if operation not in _OPERATIONS:
        raise BadInput(f"no operation {operation!r}", remedy=f"known: {', '.join(_OPERATIONS)}")
    client = Client(TIME_LIMIT_S)
    return batched(lambda body: client.call(f"/{operation}", body), payload)


def batched(
    call: Callable[[dict[str, Any] | None], dict[str, Any]], payload: dict[str, Any]
) -> dict[str, Any]:
    """Call once a batch of the payload's list and join the answers' lists."""
    long = next(
        (name for name in ("texts", "passages", "groups") if _is_long(payload.get(name))), ""
    )
    if not long:
        return call(payload or None)
    joined: dict[str, Any] = {}
    for start in range(0, len(payload[long]), BATCH):
        answer = call({**payload, long: payload[long][start : start + BATCH]})
        for name, value in answer.items():
            both = name in joined and isinstance(value, list)
            joined[name] = joined[name] + value if both else value
    return joined


def _is_long(value: Any) -> bool:
    return isinstance(value, list) and len(value) > BATCH
