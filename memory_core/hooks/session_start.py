"""The session-start hook: the standing index, the always-loaded file's state, what waits."""

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
    body = {
        "cwd": payload.cwd,
        "session": payload.session,
        "source": payload.source,
        "client": payload.client,
    }
    return _rendered(Client(clock.answer).call(protocol.SESSION_START, body))


def _rendered(document: dict[str, Any]) -> str:
    """Always-loaded file, proposals and notices a line each; then the digest.

    The digest's last lines give way when all of it would be too long.
    """
    lines = [_always_loaded(document.get("always_loaded")), _waiting(document.get("proposals"))]
    lines += [render.line(notice) for notice in document.get("notices") or ()]
    head = "\n".join(filter(None, lines))
    return render.with_digest(head, str(document.get("digest") or ""))


def _always_loaded(state: Any) -> str:
    if not isinstance(state, dict):
        return ""
    name, size, cap = render.line(state.get("file")), state.get("characters"), state.get("cap")
    if problem := render.line(state.get("problem")):
        return f"Memory: the always-loaded file {name}: {problem}."
    if size is None:
        return f"Memory: the always-loaded file {name} does not exist yet."
    said = f"Memory: the always-loaded file {name} holds {size:,} of {cap:,} characters"
    return f"{said}, {size - cap:,} over its cap." if size > cap else f"{said}."


def _waiting(proposals: Any) -> str:
    if not isinstance(proposals, int) or proposals < 1:
        return ""
    noun, verb = ("proposal", "waits") if proposals == 1 else ("proposals", "wait")
    return f"Memory: {proposals} {noun} {verb} for a person's decision (wellkept review)."
