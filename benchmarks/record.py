"""What recording costs and catches: hooks, session end, redaction, a huge transcript.

Hooks are compared with a bare interpreter started in the same run, each measurement next
to its baseline. Run it with `python -m benchmarks.record [hooks|redaction|huge]`.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

CORPUS = Path(__file__).parents[1] / "tests" / "data" / "redaction" / "corpus.jsonl"
ROUNDS = 200
HOOK = [sys.executable, "-I", "-m", "memory_core.hooks.main"]
BARE = [sys.executable, "-I", "-c", "import json, sys; sys.stdin.read()"]


def main(names: list[str]) -> None:
    """Print the named measurements, or all."""
    for measure in (hooks, redaction, huge):
        if not names or measure.__name__ in names:
            print(f"== {measure.__name__}")
            measure()


def hooks() -> None:
    """Back hook idle, with a capture running, with a busy disk; session end, nobody listening."""
    with _home() as folder:
        transcript = _transcript(folder / "t.jsonl", 200)
        events = {
            "back": {"hook_event_name": "Stop", "last_assistant_message": "done"},
            "session-end": {"hook_event_name": "SessionEnd", "reason": "other"},
        }
        common = {"session_id": "s", "transcript_path": str(transcript), "cwd": str(folder)}
        for title, busy, event in (
            ("back, idle", None, "back"),
            ("back, a capture running", _captures, "back"),
            ("back, disk busy", _writes, "back"),
            ("session-end, nobody listening", None, "session-end"),
        ):
            with _busy(busy, folder):
                _compare(title, event, json.dumps({**common, **events[event]}).encode())


def redaction() -> None:
    """Shares caught and wrongly caught, with and without our own rules."""
    from memory_core import redaction as rules
    from memory_core.record.redact import _detected, redacted

    cases = [json.loads(line.replace("¦", "")) for line in CORPUS.open(encoding="utf-8")]

    def detectors_alone(text: str) -> str:
        return rules.replaced(text, rules.merged(_detected(text)))

    for title, run in (("detect-secrets alone", detectors_alone), ("with our rules", redacted)):
        secrets = [(case["text"], value) for case in cases for value in case["secrets"]]
        plain = [case["text"] for case in cases if not case["secrets"]]
        caught = sum(value not in run(text) for text, value in secrets)
        wrong = sum(run(text) != text for text in plain)
        print(f"{title:24} caught {caught}/{len(secrets)} = {caught / len(secrets):.1%}, "
              f"wrongly caught {wrong}/{len(plain)} = {wrong / len(plain):.1%}")  # fmt: skip
    text = "\n".join(case["text"] for case in cases) * 20
    began = time.perf_counter()
    redacted(text)
    print(f"{'speed':24} {len(text) / (time.perf_counter() - began) / 1e6:.2f} MB/s")


def huge() -> None:
    """Memory and time for a file of 600 MB with a line of 40 MB, read in a process of its own."""
    with _home() as folder:
        file = folder / "huge.jsonl"
        _huge_transcript(file, 600_000_000)
        code = (
            "import sys; from pathlib import Path;"
            "from memory_core.record import capture;"
            "from memory_core.store.database import Database;"
            "n = capture.take_file(Database(sys.argv[2]), 'u', Path(sys.argv[1]), 'claude-code',"
            " 's'); peak = Path('/proc/self/status').read_text().split('VmHWM:')[1];"
            "print(n, int(peak.split()[0]) // 1024)"
        )
        began = time.perf_counter()
        url = f"sqlite:///{folder}/wellkept.sqlite"
        done = subprocess.run(
            [sys.executable, "-c", code, str(file), url], capture_output=True, text=True, check=True
        )
        seconds = time.perf_counter() - began
        began = time.perf_counter()
        lines = sum(1 for _ in file.open("rb"))
        stored, peak = done.stdout.split()
        print(f"{file.stat().st_size / 1e6:.0f} MB, {lines} lines: {stored} exchanges, "
              f"peak {peak} MB (limit 200), {seconds:.1f} s; "
              f"counting its lines alone {time.perf_counter() - began:.1f} s")  # fmt: skip


def _compare(title: str, event: str, payload: bytes) -> None:
    """Hook and bare interpreter in turn, so that both meet the same machine.

    On a machine at work the clock says more about the others; processor time does not.
    """
    own, bare, own_cpu, bare_cpu = [], [], [], []
    for _ in range(ROUNDS):
        for command, wall, cpu in ((BARE, bare, bare_cpu), ([*HOOK, event], own, own_cpu)):
            spent = _once(command, payload)
            wall.append(spent[0])
            cpu.append(spent[1])
    beyond = [one - other for one, other in zip(own, bare, strict=True)]
    more = _at(own_cpu, 0.95) - _at(bare_cpu, 0.95)
    print(f"{title:30} p50 {_at(own, 0.5):6.1f}  p95 {_at(own, 0.95):6.1f} ms;  bare p50 "
          f"{_at(bare, 0.5):5.1f}  p95 {_at(bare, 0.95):5.1f};  beyond it p50 "
          f"{_at(beyond, 0.5):5.1f}, p95 of all {_at(own, 0.95) - _at(bare, 0.95):5.1f}, "
          f"processor time p95 {more:5.1f} ms")  # fmt: skip


def _once(command: list[str], payload: bytes) -> tuple[float, float]:
    """Milliseconds on the clock and of processor time."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert process.stdin is not None
    process.stdin.write(payload)
    process.stdin.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = status
    assert status == 0
    wall = time.perf_counter() - began
    return wall * 1000, (used.ru_utime + used.ru_stime) * 1000


def _at(values: list[float], share: float) -> float:
    return statistics.quantiles(values, n=100)[round(share * 100) - 1]


@contextmanager
def _home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.environ["WELLKEPT_HOME"] = folder
        yield Path(folder)


@contextmanager
def _busy(work: Callable[[Path, threading.Event], None] | None, folder: Path) -> Iterator[None]:
    ending = threading.Event()
    thread = threading.Thread(target=work, args=(folder, ending)) if work else None
    if thread:
        thread.start()
    try:
        yield
    finally:
        ending.set()
        if thread:
            thread.join()


def _captures(folder: Path, ending: threading.Event) -> None:
    """A capture process, again and again, with a growing transcript to read."""
    while not ending.is_set():
        _transcript(folder / f"more-{time.time_ns()}.jsonl", 50)
        subprocess.run([sys.executable, "-I", "-m", "memory_core.record"], check=False)


def _writes(folder: Path, ending: threading.Event) -> None:
    """Fresh megabytes, forced to the disk one after the other."""
    block = os.urandom(4_000_000)
    while not ending.is_set():
        with (folder / "noise").open("wb") as noise:
            for _ in range(8):
                noise.write(block)
                noise.flush()
                os.fsync(noise.fileno())


def _transcript(file: Path, turns: int) -> Path:
    with file.open("w", encoding="utf-8") as out:
        for turn in range(turns):
            for row in _rows(turn, "some output\n" * 50):
                out.write(json.dumps(row) + "\n")
    return file


def _rows(turn: int, output: str) -> list[dict[str, object]]:
    def row(kind: str, at: int, content: object) -> dict[str, object]:
        return {"type": kind, "uuid": f"{turn}-{at}", "sessionId": "s", "cwd": "/home/user/x",
                "timestamp": "2026-11-30T10:00:00.000Z", "promptId": f"p{turn}",
                "message": {"role": kind, "content": content}}  # fmt: skip

    use = {"type": "tool_use", "id": f"t{turn}", "name": "Bash", "input": {"command": "make"}}
    result = {"type": "tool_result", "tool_use_id": f"t{turn}", "content": output}
    return [
        row("user", 1, f"request {turn}"),
        row("assistant", 2, [use]),
        row("user", 3, [result]) | {"toolUseResult": {"stdout": output, "stderr": ""}},
        row("assistant", 4, [{"type": "text", "text": f"reply {turn}"}]),
    ]


def _huge_transcript(file: Path, size: int) -> None:
    """Bookkeeping as real files have it, tool outputs of all sizes, and one line of 40 MB."""
    blob = json.dumps({"type": "api-request-blob", "blob": "x" * 130_000}) + "\n"
    log = "2026-11-30 10:00:00 worker 17 took 212 ms for order 901223 — ok 🙂\n"
    with file.open("w", encoding="utf-8") as out:
        for row in _rows(0, log * (20_000_000 // len(log.encode()))):
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
        turn = 0
        while out.tell() < size:
            turn += 1
            for row in _rows(turn, log * (1 + turn * 37 % 2000)):
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
            out.write(blob)


if __name__ == "__main__":
    main(sys.argv[1:])
