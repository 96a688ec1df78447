"""The real Codex skips what nobody trusted, in silence; `wellkept doctor` says so."""

from __future__ import annotations

import json

import pytest

from tests.e2e.conftest import Hire
from tests.e2e.test_installed import says_anything
from tests.warm import ASKED, Warm

pytestmark = pytest.mark.e2e


def test_untrusted_hooks_are_skipped_and_reported(hire: Hire, warm: Warm) -> None:
    agent = hire("codex")
    agent.home = warm.home
    agent.on_path()
    agent.install()
    agent.bypass_trust = False
    assert "pong" in agent.turn(f"{ASKED} [[reply:pong]]")
    assert not says_anything(agent.stub.texts())

    done = agent.wellkept("doctor", "--json")
    assert done.returncode == 1
    found = {
        link["name"]: link for link in json.loads(done.stdout)["links"] if link["part"] == "codex"
    }
    assert {name for name, link in found.items() if link["state"] == "broken"} == {"trust"}
    assert found["trust"]["said"].startswith("Codex says: not trusted: ")
    assert "/hooks" in found["trust"]["remedy"]
    assert "trusted_hash" not in (agent.user / ".codex" / "config.toml").read_text("utf-8")


def test_long_notes_in_any_script_come_whole(hire: Hire, warm: Warm) -> None:
    agent = hire("codex")
    agent.home = warm.home
    agent.install()
    hook = warm.home / "bin" / "wellkept-hook"
    said = json.dumps({
        "hookSpecificOutput": {
            "hookEventName": "UserPromptSubmit", "additionalContext": "記" * 8_900 + " the end",
        }
    }, ensure_ascii=False)  # fmt: skip
    hook.write_text(f"#!/bin/sh\ncase $1 in front) printf '%s' '{said}' ;; esac\n", "utf-8")
    assert "pong" in agent.turn(f"{ASKED} [[reply:pong]]")
    assert "記" * 8_900 + " the end" in agent.stub.texts()
