"""What a client does, done: a memory is stored, recalled and injected through its own lines.

The memory lies in a scope of its own and is forgotten at the end; the ledger shows both.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import time
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from memory_core import paths
from memory_core.errors import Conflict, WellkeptError
from memory_core.hooks import clients as forms
from memory_core.hooks import spool
from memory_core.hooks.clients.form import Form
from memory_core.installers import launcher
from memory_core.installers.client import Client
from memory_core.installers.doctor.link import Link
from memory_core.record import capture
from memory_core.server import client as server
from memory_core.server import protocol, reasons

_SECONDS = 30.0
_TRIES = 3  # a busy machine may be late once
_KEPT = ("HOME", "LANG", "PATH", "TERM", "TMPDIR")  # all that Codex hands to a server
_SEE = "see wellkept status"
_LATE = f"the hook did not end within {_SECONDS:g} s"
_PASSING = ("too slow", "busy", "loading", "index building", "measuring the floor")


def links(client: Client, commands: Mapping[str, str]) -> Iterator[Link]:
    """Store, recall, inject, notes, record: each with the client's own commands."""
    form = forms.adapter(client.name)
    assert form is not None
    trip = _Trip(client.name, form, commands)
    try:
        yield from trip.tools()
        yield trip.injected()
        yield trip.notes()
        yield trip.recorded()
    finally:
        trip.clean()


class _Trip:
    def __init__(self, client: str, form: Form, commands: Mapping[str, str]) -> None:
        self._client, self._form, self._commands = client, form, commands
        self._mark = uuid.uuid4().hex[:12]
        self._key = f"doctor-{self._mark}"
        self._folder = paths.home().absolute() / "doctor"
        self._folder.mkdir(mode=0o700, exist_ok=True)

    def tools(self) -> Iterator[Link]:
        """Store and recall over MCP, as the client starts it."""
        fact = {
            "key": self._key, "description": f"A check by wellkept doctor, {self._mark}",
            "content": "It may be removed.",
        }  # fmt: skip
        try:
            said = self._over_mcp([
                ("remember", fact), ("recall_memories", {"query": self._mark}),
            ])  # fmt: skip
        except subprocess.TimeoutExpired:
            yield self._slow("store", f"no answer over MCP within {_SECONDS:g} s")
            return
        except (OSError, ValueError, KeyError) as error:
            why = f"{launcher.command()} mcp does not answer: {type(error).__name__}"
            yield self._broken("store", why, f"wellkept install {self._client}")
            return
        (stored, refused), (found, failed) = said
        if refused:
            yield self._broken("store", stored, _SEE)
        else:
            yield self._ok("store", "remember, over MCP")
        if failed or self._key not in found:
            yield self._broken("recall", found or "the memory was not found", _SEE)
        else:
            yield self._ok("recall", "recall_memories, over MCP")

    def injected(self) -> Link:
        """The index with the memory in it, in the client's format."""
        text, problem = self._context("session-start", source="startup")
        if problem:
            return self._unwell("inject", problem)
        if f'"{self._key}"' not in text:
            said = "the index at a session's start does not have the memory"
            return self._broken("inject", said, _SEE)
        return self._ok("inject", self._commands["session-start"])

    def notes(self) -> Link:
        """An answer above a request: notes, or that there are none."""
        problem = ""
        for _ in range(_TRIES):
            text, problem = self._context("front", prompt=f"What does {self._mark} check?")
            if not problem:
                return self._ok("notes", text.split("\n")[0][:80])
        return self._unwell("notes", problem)

    def recorded(self) -> Link:
        """The back hook says nothing and leaves what it has to."""
        held = capture.lock()
        until = time.monotonic() + _SECONDS
        while True:
            try:
                held.acquire("wellkept doctor")
                break
            except Conflict:
                if time.monotonic() > until:
                    return self._ok("record", "not tried: sessions are being stored just now")
                time.sleep(0.1)
        try:
            given = {"session_id": self._key, "messages": [], "transcript_path": ""}
            printed = self._run("back", given)
            left = [name for name in spool.names() if self._is_mine(name)]
            for name in left:
                spool.remove(name)
        finally:
            held.release()
        if printed or not left:
            said = "the back hook printed something" if printed else "the back hook left nothing"
            return self._broken(
                "record", said, f"see whether {paths.spool_folder()} can be written"
            )
        return self._ok("record", self._commands["back"])

    def clean(self) -> None:
        """Forget the memory."""
        body = {
            "arguments": {"key": self._key}, "cwd": str(self._folder), "actor": "wellkept doctor",
        }  # fmt: skip
        with contextlib.suppress(WellkeptError):
            server.Client(5.0).call(f"{protocol.TOOLS}/forget_memory", body)
        with contextlib.suppress(OSError):
            self._folder.rmdir()

    def _context(self, event: str, **fields: str) -> tuple[str, str]:
        """The injected text, or what is wrong with what the hook printed."""
        printed = self._run(event, {"session_id": self._key, **fields})
        if printed == _LATE:
            return "", printed
        try:
            output = json.loads(printed)["hookSpecificOutput"]
            text = str(output["additionalContext"])
        except (ValueError, KeyError, TypeError):
            return "", f"the hook printed {printed[:80]!r}"
        if output.get("hookEventName") != self._form.events[event]:
            return "", f"the hook answered for {output.get('hookEventName')}"
        return ("", text) if "Memory unavailable" in text else (text, "")

    def _run(self, event: str, given: dict[str, Any]) -> str:
        document = {
            "hook_event_name": self._form.events[event], "cwd": str(self._folder), **given,
        }  # fmt: skip
        if self._client == forms.CODEX:
            document["turn_id"] = self._mark
        try:
            done = subprocess.run(
                ["/bin/sh", "-c", self._commands[event]], input=json.dumps(document).encode(),
                capture_output=True, timeout=_SECONDS, cwd=self._folder, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            return _LATE if isinstance(error, subprocess.TimeoutExpired) else str(error)
        return done.stdout.decode("utf-8", "replace")

    def _over_mcp(self, calls: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, bool]]:
        """Text and failure of each call, one after the other."""
        environment = dict(os.environ)
        if self._client == forms.CODEX:
            environment = {name: environment[name] for name in _KEPT if name in environment}
        with subprocess.Popen(
            [launcher.command(), "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, cwd=self._folder, env=environment,
        ) as process:  # fmt: skip
            try:
                handshake = {"protocolVersion": "2025-06-18", "clientInfo": {"name": "doctor"}}
                _asked(process, "initialize", handshake)
                return [_called(process, name, arguments) for name, arguments in calls]
            finally:
                process.kill()

    def _is_mine(self, name: str) -> bool:
        try:
            event = spool.read(name)
        except OSError:
            return False
        return event is not None and event.get("session") == self._key

    def _ok(self, name: str, said: str) -> Link:
        return Link(self._client, name, "ok", said)

    def _unwell(self, name: str, problem: str) -> Link:
        """Slow or starting where that is all that is wrong, else broken."""
        reason = problem.removeprefix("Memory unavailable: ")
        if reasons.kind(reason) in _PASSING or reason.startswith((server.NO_ANSWER, _LATE)):
            return self._slow(name, problem)
        return self._broken(name, problem, _SEE)

    def _slow(self, name: str, said: str) -> Link:
        return Link(self._client, name, "notice", said, "try again in a moment", passes=True)

    def _broken(self, name: str, said: str, remedy: str) -> Link:
        return Link(self._client, name, "broken", said, remedy)


def _called(
    process: subprocess.Popen[bytes], name: str, arguments: dict[str, Any]
) -> tuple[str, bool]:
    result = _asked(process, "tools/call", {"name": name, "arguments": arguments})
    text = "\n".join(str(part.get("text", "")) for part in result.get("content", ()))
    return text, bool(result.get("isError"))


def _asked(process: subprocess.Popen[bytes], method: str, parameters: Any) -> dict[str, Any]:
    """The result of one request; raises `ValueError` or `KeyError` for anything else."""
    import select

    assert process.stdin and process.stdout
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    if not select.select([process.stdout], [], [], _SECONDS)[0]:
        raise subprocess.TimeoutExpired("mcp", _SECONDS)
    result: dict[str, Any] = json.loads(process.stdout.readline())["result"]
    return result
