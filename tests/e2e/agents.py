"""The four real clients, each in folders of its own, with a stub in the place of its API."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from memory_core.installers.client import client

STUBS = Path(__file__).parents[1] / "data" / "clients"
CLIENTS = Path(os.environ.get("WELLKEPT_E2E_CLIENTS", Path.home() / ".cache" / "wellkept-e2e"))
BIN = Path(sys.executable).parent
MODULES = CLIENTS / "node_modules"
PACKAGES = {  # package, version, and its program, which needs no install script
    "claude-code": (
        "@anthropic-ai/claude-code", "2.1.332", "@anthropic-ai/claude-code-linux-x64/claude",
    ),
    "codex": (
        "@openai/codex", "0.171.0",
        "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
    ),
    "gemini": ("@google/gemini-cli", "0.61.0", "@google/gemini-cli/bundle/gemini.js"),
    "opencode": ("opencode-ai", "1.18.33", "opencode-linux-x64/bin/opencode"),
}  # fmt: skip
BYPASS = "--dangerously-bypass-hook-trust"
ARGUMENTS = {
    "claude-code": ("-p",),
    "codex": ("exec", "--skip-git-repo-check", BYPASS),
    "gemini": ("--yolo", "-p"),  # else it offers no tool that has to be asked about
    "opencode": ("run",),
}


def program(name: str) -> list[str]:
    """The client's command; fetched once from npm into the clients' folder, else skipped."""
    package, version, path = PACKAGES[name]
    if not (MODULES / path).exists():
        if shutil.which("npm") is None:
            pytest.skip("npm is not installed")
        CLIENTS.mkdir(parents=True, exist_ok=True)
        fetch = ["npm", "install", f"{package}@{version}", "--force", "--no-audit", "--no-fund"]
        done = subprocess.run(fetch, cwd=CLIENTS, capture_output=True, text=True)
        if done.returncode or not (MODULES / path).exists():
            pytest.skip(f"{package} {version} cannot be fetched: {done.stderr[-300:]}")
    return ["node", str(MODULES / path)] if path.endswith(".js") else [str(MODULES / path)]


@dataclass
class Stub:
    """The stub of an API; `requests` are the bodies a model would have read."""

    url: str
    log: Path

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The bodies of turns, oldest first: those that offer tools."""
        lines = self.log.read_text("utf-8").splitlines() if self.log.exists() else []
        bodies = [json.loads(line)["body"] or {} for line in lines]
        return [body for body in bodies if body.get("tools")]

    def texts(self, since: int = 0) -> str:
        """Every text in what was asked, but not the descriptions of tools."""
        bodies = [{**body, "tools": None} for body in self.requests[since:]]
        return "\n".join(strings(bodies))


def strings(value: Any) -> Iterator[str]:
    """Every text in a document."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from strings(one)


@dataclass
class Agent:
    """A client, its user's home, a project folder, and the state folder of Wellkept."""

    name: str
    stub: Stub
    user: Path
    project: Path
    home: Path
    bypass_trust: bool = True
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        """What the client and our own commands see; nothing of this machine but its paths."""
        folder = str(self.user.parent)
        return {
            "PATH": f"{BIN}:{os.environ['PATH']}", "HOME": str(self.user), "TMPDIR": folder,
            "LANG": "C.UTF-8", "WELLKEPT_HOME": str(self.home),
            "WELLKEPT_DEADLINE_MS": os.environ.get("WELLKEPT_DEADLINE_MS", "10000"),
            "XDG_RUNTIME_DIR": os.environ["XDG_RUNTIME_DIR"],
            "XDG_CACHE_HOME": str(self.user / ".cache"),
            "ANTHROPIC_BASE_URL": self.stub.url, "ANTHROPIC_API_KEY": "dummy",
            "CLAUDE_CONFIG_DIR": str(self.user / ".claude"),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1",
            "OPENAI_API_KEY": "dummy", "CODEX_HOME": str(self.user / ".codex"),
            "GEMINI_API_KEY": "dummy", "GOOGLE_GEMINI_BASE_URL": self.stub.url,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1", **self.extra,
        }  # fmt: skip

    def turn(self, prompt: str, *arguments: str) -> str:
        """Run one turn to its end; returns what the client printed."""
        fixed = [word for word in ARGUMENTS[self.name] if self.bypass_trust or word != BYPASS]
        command = [*program(self.name), *fixed, prompt, *arguments]
        if self.name == "opencode":  # it would put an argument in quotation marks
            command.remove(prompt)
            done = self._run(command, timeout=280, given=prompt)
        else:
            done = self._run(command, timeout=280)
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    def own(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run one of the client's own commands."""
        return self._run([*program(self.name), *arguments], timeout=120)

    def wellkept(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run one of our commands as the client's user, in the project folder."""
        return self._run([sys.executable, "-I", "-m", "memory_core", *arguments], timeout=120)

    def install(self, *arguments: str) -> None:
        """Put us into the client with our own installer."""
        done = self.wellkept("install", self.name, "--yes", *arguments)
        assert done.returncode == 0, done.stderr

    def on_path(self) -> None:
        """Let the client be found by its name."""
        folder = self.user / "bin"
        quoted = " ".join(f'"{word}"' for word in program(self.name))
        name = client(self.name).program
        write(folder / name, f'#!/bin/sh\nexec {quoted} "$@"\n')
        (folder / name).chmod(0o755)
        self.extra["PATH"] = f"{folder}:{BIN}:{os.environ['PATH']}"

    def configure(self) -> None:
        """The client's own settings, as a person has them before us: the stub's address."""
        _SETTINGS[self.name](self)

    def _run(
        self, command: list[str], timeout: float, given: str = ""
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.project, env=self.environment, input=given, capture_output=True,
            text=True, timeout=timeout, check=False,
        )  # fmt: skip


def _claude_code(agent: Agent) -> None:
    write(agent.user / ".claude" / "settings.json", '{\n  "cleanupPeriodDays": 30\n}\n')


def _codex(agent: Agent) -> None:
    lines = f"""model = "stub-model"
model_provider = "stub"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.stub]
name = "stub"
base_url = "{agent.stub.url}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
"""
    write(agent.user / ".codex" / "config.toml", lines)


def _gemini(agent: Agent) -> None:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    }
    write(agent.user / ".gemini" / "settings.json", json.dumps(settings, indent=2))


def _opencode(agent: Agent) -> None:
    provider = {
        "npm": "@ai-sdk/openai-compatible", "name": "stub",
        "options": {"baseURL": f"{agent.stub.url}/v1", "apiKey": "dummy"},
        "models": {"stub-model": {"name": "stub", "limit": {"context": 128000, "output": 8000}}},
    }  # fmt: skip
    settings = {
        "autoupdate": False, "share": "disabled", "model": "stub/stub-model",
        "small_model": "stub/stub-model", "provider": {"stub": provider},
    }  # fmt: skip
    file = agent.user / ".config" / "opencode" / "opencode.jsonc"
    write(file, "// my settings\n" + json.dumps(settings, indent=2))


def write(file: Path, text: str) -> None:
    """A file in folders that need not be there."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


_SETTINGS = {
    "claude-code": _claude_code, "codex": _codex, "gemini": _gemini, "opencode": _opencode,
}  # fmt: skip
