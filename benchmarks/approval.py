"""How long a person waits: from a session's end to its proposal, from a decision to the change.

`python -m benchmarks.approval [--times N]` runs the whole of `wellkept up` in a temporary
folder, on a small vault under git, without a language model.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

RULE = "for every session: never touch machine number {} without asking me first"


@contextmanager
def running() -> Iterator[Path]:
    """A vault, with everything up."""
    from deployments import supervisor

    with tempfile.TemporaryDirectory() as name:
        vault = Path(name) / "vault"
        vault.mkdir()
        (vault / "machines.md").write_text("- Machines are numbered.\n", "utf-8")
        person = ["-c", "user.name=Kari", "-c", "user.email=kari@example.org"]
        for arguments in (["init", "-q"], ["add", "."], [*person, "commit", "-qm", "Begin"]):
            subprocess.run(["git", "-C", str(vault), *arguments], check=True)
        own = {"HOME": f"{name}/home", "VAULT": str(vault), "MEASURE_FLOOR": "false"}
        os.environ.update({f"WELLKEPT_{key}": value for key, value in own.items()})
        begun = time.monotonic()
        supervisor.run_detached(lambda _: None)
        print(f"up from nothing: {time.monotonic() - begun:.1f} s")
        try:
            yield vault
        finally:
            supervisor.stop(lambda _: None)


def until(look: Callable[[], Any], seconds: float = 120) -> float:
    """Seconds until `look` says yes."""
    begun = time.monotonic()
    while not look():
        if time.monotonic() - begun > seconds:
            raise SystemExit("nothing happened; see the logs")
        time.sleep(0.02)
    return time.monotonic() - begun


def measure(times: int, vault: Path) -> dict[str, list[float]]:
    """Seconds of each step, by its name."""
    desk = Desk(vault)
    found: dict[str, list[float]] = {"offered": [], "applied via UI": [], "applied at terminal": []}
    for number in range(2 * times):
        desk.end(f"session-{number}", number)
        found["offered"].append(until(desk.offered))
        if number % 2:
            found["applied at terminal"].append(desk.decide())
        else:
            until(desk.resume)
            found["applied via UI"].append(until(desk.applied))
    return found


class Desk:
    """The store that `up` serves, and the session that was ended last."""

    def __init__(self, vault: Path) -> None:
        from memory_core.settings import load
        from memory_core.store.database import Database

        self.vault, self.settings = vault, load()
        self.database = Database(self.settings.resolved_database_url)
        self.session, self.proposal = "", 0

    def end(self, session: str, number: int) -> None:
        """Record a session with one rule in it and end it."""
        from memory_core.record import capture, sessions

        self.session = session
        file = self.vault.parent / f"{session}.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in _rows(session, number)), "utf-8")
        capture.take_file(self.database, self.settings.user, file, "neutral", session)
        with self.database.write() as writing:
            sessions.end(writing, session, "exit")

    def offered(self) -> bool:
        """Whether the session's proposal waits."""
        from memory_core.proposals import queue

        found = [each for each in queue.waiting(self.database) if each.subject == self.session]
        self.proposal = found[0].id if found else 0
        return bool(found and found[0].flow_run)

    def applied(self) -> bool:
        """Whether the change is made."""
        from memory_core.proposals import queue

        return queue.get(self.database, self.proposal).state == "applied"

    def resume(self) -> bool:
        """Answer the form as the UI does; it is stored a moment after the run is suspended."""
        from deployments import orchestrator
        from memory_core.proposals import queue

        run = queue.get(self.database, self.proposal).flow_run
        request = urllib.request.Request(
            f"{orchestrator.api_url(self.settings)}/flow_runs/{run}/resume",
            data=json.dumps({"run_input": {"decision": "apply all"}}).encode(),
            headers={"content-type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return bool(json.loads(answer.read())["status"] == "ACCEPT")
        except urllib.error.HTTPError:  # 503 of a busy SQLite
            return False

    def decide(self) -> float:
        """Decide and apply as the terminal does; the seconds it took."""
        from memory_core.proposals.apply import apply
        from memory_core.proposals.decision import Decision, decide

        begun = time.monotonic()
        wanted = Decision("apply all")
        decide(self.database, self.proposal, wanted, root=self.vault, settings=self.settings)
        apply(self.database, self.vault, self.settings, self.proposal)
        return time.monotonic() - begun


def _rows(session: str, number: int) -> list[dict[str, Any]]:
    said = (("user", RULE.format(number)), ("assistant", "Understood."))
    return [
        {"session": session, "turn": turn, "ts": "2026-11-03T09:00:00Z", "role": role, "text": text}
        for turn, (role, text) in enumerate(said, 1)
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=10)
    arguments = parser.parse_args()
    with running() as vault:
        for name, seconds in measure(arguments.times, vault).items():
            worst = max(seconds)
            print(f"{name:20} median {statistics.median(seconds):6.2f} s  worst {worst:6.2f} s")


if __name__ == "__main__":
    main()
