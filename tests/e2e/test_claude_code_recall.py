"""The real Claude Code: notes stand above its request, and the exchange is recorded once."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

import pytest

from tests.e2e.conftest import Session
from tests.warm import ASKED, NONSENSE, Warm

pytestmark = pytest.mark.e2e
EVENTS = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "front",
    "Stop": "back",
    "SessionEnd": "session-end",
}


@pytest.fixture
def hooked(warm: Warm, session: Session) -> Session:
    """All four hooks, on the shared warm server's state folder."""
    hooks = {
        event: [{"hooks": [{"type": "command", "command": f"wellkept-hook {name}", "timeout": 30}]}]
        for event, name in EVENTS.items()
    }
    (session.project / ".claude" / "settings.json").write_text(json.dumps({"hooks": hooks}))
    session.home = warm.home
    return session


def _sent(session: Session) -> str:
    return json.dumps(session.stub.requests[0]["messages"], ensure_ascii=False)


def test_the_right_note_is_in_the_request_of_the_real_client(hooked: Session) -> None:
    assert "pong" in hooked.turn(f"{ASKED} [[reply:pong]]")
    assert "k8s-hpa-checkout.md" in _sent(hooked)
    assert "open the file before acting on it" in _sent(hooked)


def test_a_request_that_no_note_matters_to_says_so(hooked: Session) -> None:
    assert "pong" in hooked.turn(f"{NONSENSE} [[reply:pong]]")
    assert "no note is relevant" in _sent(hooked)


def test_the_exchange_is_recorded_once(hooked: Session) -> None:
    before = _exchanges()
    hooked.turn("please remember nothing of this [[reply:fine]]")
    until = time.monotonic() + 60
    while _exchanges() == before and time.monotonic() < until:
        time.sleep(0.5)
    time.sleep(2)  # long enough for a second one to show
    assert _exchanges() == before + 1


def _exchanges() -> int:
    command = [sys.executable, "-m", "memory_core", "record", "sessions", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    document: dict[str, Any] = json.loads(done.stdout)
    return sum(session["exchanges"] for session in document["sessions"])
