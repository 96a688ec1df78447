"""What a person waits for: the whole front-hook process, beside a bare interpreter start.

`python -m benchmarks.hook [--requests 200] [--json FILE]` measures idle and with every
core busy, then asks 20 times each of a server that is cold, dead, stopped and saturated.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import warm
from memory_core.errors import WellkeptError
from memory_core.server import protocol
from memory_core.server.client import Client

BARE = [sys.executable, "-I", "-c", "pass"]
HOOK = [sys.executable, "-I", "-m", "memory_core.hooks.main", "front"]
TIMES = 20  # of each fault


@dataclass(frozen=True)
class Ran:
    """One process: milliseconds from start to end, exit code, what it injected."""

    ms: float
    code: int
    text: str

    @property
    def outcome(self) -> str:
        """`notes`, or the line that was injected instead."""
        first = self.text.partition("\n")[0]
        return "notes" if first.startswith("Notes") else first.removeprefix("Memory ")


def run(command: list[str], request: str = "") -> Ran:
    """Run one process as a client does."""
    event = {"hook_event_name": "UserPromptSubmit", "session_id": str(uuid.uuid4())}
    given = json.dumps(event | {"cwd": os.fspath(Path.cwd()), "prompt": request}).encode()
    since = time.perf_counter()
    done = subprocess.run(command, input=given, capture_output=True, check=False)
    spent = (time.perf_counter() - since) * 1000
    printed = json.loads(done.stdout) if done.stdout else {}
    text = printed.get("hookSpecificOutput", {}).get("additionalContext", "")
    return Ran(spent, done.returncode, text)


def spread(values: list[float]) -> dict[str, float]:
    """p50, p95 and the worst, in milliseconds."""
    cuts = statistics.quantiles(values, n=20, method="inclusive")
    return {"p50": round(cuts[9], 1), "p95": round(cuts[18], 1), "max": round(max(values), 1)}


def measure(requests: list[str], name: str) -> dict[str, Any]:
    """Hook and bare start by turns, so that whatever else the machine does meets both."""
    hooks, bare = [], []
    for request in requests:
        hooks.append(run(HOOK, request))
        bare.append(run(BARE))
    hook, base = spread([one.ms for one in hooks]), spread([one.ms for one in bare])
    outcomes = Counter(one.outcome for one in hooks)
    print(f"| {name} | {_row(hook)} | {_row(base)} | {_counted(outcomes)} |", flush=True)
    return {"name": name, "hook_ms": hook, "bare_ms": base, "outcomes": dict(outcomes)}


def _row(values: dict[str, float]) -> str:
    return " | ".join(f"{values[key]:.0f}" for key in ("p50", "p95", "max"))


def _counted(outcomes: Counter[str]) -> str:
    return ", ".join(f"{number} x {what}" for what, number in outcomes.most_common())


@contextlib.contextmanager
def busy_cores() -> Iterator[None]:
    """A process that computes on every core."""
    burn = [sys.executable, "-I", "-c", "while True: pass"]
    burning = [subprocess.Popen(burn) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for process in burning:
            process.kill()
            process.wait()


@contextlib.contextmanager
def saturated() -> Iterator[None]:
    """Four callers that embed 500 passages each, and four that recall, without a pause."""
    stop = threading.Event()
    texts = [f"passage {n}: " + "the nightly dump of the orders table " * 8 for n in range(500)]

    def ask(path: str, body: dict[str, Any]) -> None:
        while not stop.is_set():
            with contextlib.suppress(WellkeptError):
                Client(30).call(path, body)

    calls: list[tuple[str, dict[str, Any]]] = [(protocol.EMBED, {"texts": texts})] * 4
    calls += [(protocol.RECALL, {"query": "how is pgbouncer set up?", "deadline_ms": 900})] * 4
    threads = [threading.Thread(target=ask, args=call) for call in calls]
    for thread in threads:
        thread.start()
    time.sleep(1.0)  # until the queue is full
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def fault(name: str, requests: list[str]) -> dict[str, Any]:
    """Ask `TIMES` times and count the good ends: exit 0, under a second, a text."""
    ran = [run(HOOK, request) for request in requests[:TIMES]]
    good = sum(one.code == 0 and one.ms < protocol.DEADLINE_MS and one.text != "" for one in ran)
    outcomes = Counter(one.outcome for one in ran)
    times = spread([one.ms for one in ran])
    print(f"| {name} | {good} of {len(ran)} | {_row(times)} | {_counted(outcomes)} |", flush=True)
    return {"name": name, "good": good, "of": len(ran), "ms": times, "outcomes": dict(outcomes)}


def faults(home: Path, requests: list[str], server: Callable[[], Any]) -> list[dict[str, Any]]:
    """The table of the four faults; leaves no server behind."""
    print("\n| server | good | p50 | p95 | max | the hook said |")
    print("| --- | --- | --- | --- | --- | --- |")
    process = server()
    while not (home / "server.sock").exists():
        time.sleep(0.01)
    found = [fault("cold (loading its models)", requests)]
    warm.until_ready(process, home)
    with saturated():
        found.append(fault("saturated", requests))
    process.send_signal(signal.SIGSTOP)
    found.append(fault("stopped (SIGSTOP)", requests))
    process.kill()
    process.wait()
    found.append(fault("dead (stale socket)", requests))
    (home / "server.sock").unlink()
    return [*found, fault("never started", requests)]


def main() -> None:
    """Measure and print; `--json` keeps the numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    pool = warm.requests()
    requests = [pool[at % len(pool)] for at in range(chosen.requests)]
    with warm.state_folder() as home:
        document = _measured(home, requests)
    if chosen.json:
        chosen.json.write_text(json.dumps(document, indent=2), "utf-8")


def _measured(home: Path, requests: list[str]) -> dict[str, Any]:
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before the start\n")
    print("| front hook, ms | p50 | p95 | max | bare p50 | p95 | max | outcomes |")
    print("| --- " * 8 + "|")
    tables = [measure(requests[:40], "no server: the process alone")]
    process = warm.start(home)
    warm.until_ready(process, home)
    warm.open_the_gate(home)
    tables.append(measure(requests, "idle"))
    readings = Client(60).call(protocol.READINGS)
    with busy_cores():
        tables.append(measure(requests, "every core busy"))
    process.terminate()
    process.wait()
    print("\nServer, idle, by stage (p50 / p95 ms):", _stages(readings))
    found = faults(home, requests, lambda: warm.start(home))
    return {"tables": tables, "stages": readings["latency_ms"], "faults": found}


def _stages(readings: dict[str, Any]) -> str:
    return ", ".join(
        f"{stage} {value['p50']:.0f} / {value['p95']:.0f}"
        for stage, value in readings["latency_ms"].items()
    )


if __name__ == "__main__":
    main()
