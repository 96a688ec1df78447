"""Real clients against a loopback stub of their API; nothing leaves this machine."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

VERSION = "2.1.332"
STUB = Path(__file__).parents[1] / "data" / "clients" / "stub_anthropic.py"
CLIENTS = Path(os.environ.get("WELLKEPT_E2E_CLIENTS", Path.home() / ".cache" / "wellkept-e2e"))
BIN = Path(sys.executable).parent


@pytest.fixture(scope="session")
def claude() -> Path:
    """The native Claude Code; fetched once from npm into the clients' folder."""
    package = CLIENTS / "node_modules" / "@anthropic-ai" / "claude-code-linux-x64" / "claude"
    if not package.exists():
        if shutil.which("npm") is None:
            pytest.skip("npm is not installed")
        CLIENTS.mkdir(parents=True, exist_ok=True)
        fetch = ["npm", "i", f"@anthropic-ai/claude-code@{VERSION}", "--force", "--no-audit"]
        done = subprocess.run(fetch, cwd=CLIENTS, capture_output=True, text=True)
        if done.returncode or not package.exists():
            pytest.skip(f"Claude Code {VERSION} cannot be fetched: {done.stderr[-300:]}")
    return package


@dataclass
class Stub:
    """The stub of the Messages API; `requests` are the bodies a model would have read."""

    url: str
    log: Path

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The bodies of turns, oldest first: those that offer tools."""
        lines = self.log.read_text("utf-8").splitlines() if self.log.exists() else []
        bodies = [json.loads(line) for line in lines]
        return [
            entry["body"]
            for entry in bodies
            if entry["path"].startswith("/v1/messages?") and (entry["body"] or {}).get("tools")
        ]


@pytest.fixture
def stub(tmp_path: Path) -> Iterator[Stub]:
    log, port = tmp_path / "api.jsonl", tmp_path / "port"
    process = subprocess.Popen(
        [sys.executable, str(STUB), "--log", str(log), "--port-file", str(port)],
        stdout=subprocess.DEVNULL,
    )
    while not (port.exists() and port.read_text()):
        time.sleep(0.05)
    yield Stub(f"http://127.0.0.1:{port.read_text()}", log)
    process.terminate()
    process.wait(10)


@dataclass
class Session:
    """A project folder in which the real client runs one turn at a time."""

    claude: Path
    stub: Stub
    project: Path
    home: Path

    def turn(self, prompt: str, *arguments: str) -> str:
        """Run `claude -p` with a prompt; returns what it printed."""
        env = {
            "PATH": f"{BIN}:{os.environ['PATH']}",
            "HOME": str(self.home.parent / "user"),
            "CLAUDE_CONFIG_DIR": str(self.home.parent / "user" / ".claude"),
            "TMPDIR": str(self.home.parent),
            "LANG": "C.UTF-8",
            "WELLKEPT_HOME": str(self.home),
            "XDG_RUNTIME_DIR": os.environ["XDG_RUNTIME_DIR"],
            "ANTHROPIC_BASE_URL": self.stub.url,
            "ANTHROPIC_API_KEY": "dummy",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
        }
        done = subprocess.run(
            [str(self.claude), "-p", prompt, *arguments],
            cwd=self.project, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=240,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def session(claude: Path, stub: Stub, home: Path, tmp_path: Path) -> Session:
    project = tmp_path / "project"
    (project / ".claude").mkdir(parents=True)
    (tmp_path / "user" / ".claude").mkdir(parents=True)
    return Session(claude, stub, project, home)
