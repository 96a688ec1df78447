"""Real clients against a loopback stub of their API; nothing leaves this machine."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.agents import STUBS, Agent, Stub, program

Hire = Callable[[str], Agent]


@pytest.fixture
def hire(home: Path, tmp_path: Path) -> Iterator[Hire]:
    """A client by its name, with settings and a stub of its API, and nothing of ours yet."""
    running = []

    def hired(name: str) -> Agent:
        program(name)
        script = "stub_anthropic.py" if name == "claude-code" else "stub_openai_gemini.py"
        log, port = tmp_path / f"{name}.jsonl", tmp_path / f"{name}.port"
        command = [sys.executable, str(STUBS / script), "--log", str(log), "--port-file", str(port)]
        running.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))
        while not (port.exists() and port.read_text()):
            time.sleep(0.05)
        for folder in ("user", "project"):
            (tmp_path / folder).mkdir(exist_ok=True)
        stub = Stub(f"http://127.0.0.1:{port.read_text()}", log)
        agent = Agent(name, stub, tmp_path / "user", tmp_path / "project", home)
        agent.configure()
        return agent

    yield hired
    for process in running:
        process.terminate()
        process.wait(10)


@pytest.fixture
def session(hire: Hire) -> Agent:
    """Claude Code, without any hook."""
    return hire("claude-code")
