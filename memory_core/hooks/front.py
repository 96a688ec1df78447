"""The front hook: the three best notes above a request, or one line that says why not."""

from __future__ import annotations

from typing import Any

from memory_core.hooks import render
from memory_core.hooks.clock import Clock
from memory_core.hooks.payload import Payload
from memory_core.server import protocol
from memory_core.server.client import Client


def text(payload: Payload, clock: Clock) -> str:
    """Ask the server and render its answer.

    Raises an error of the tree when the server cannot answer.
    """
    return render.answer(Client(clock.answer).call(protocol.RECALL, _body(payload, clock)))


def _body(payload: Payload, clock: Clock) -> dict[str, Any]:
    return {
        "query": _shortened(payload.prompt),
        "session": payload.session,
        "cwd": payload.cwd,
        "deadline_ms": max(1, int((clock.answer - 0.03) * 1000)),
        "hook_ms": int(clock.age * 1000),
    }


def _shortened(prompt: str) -> str:
    half = protocol.QUERY_CHARACTERS // 2
    return prompt if len(prompt) <= 2 * half else f"{prompt[:half]}\n{prompt[-half:]}"
