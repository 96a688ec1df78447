"""A warm server of its own for a benchmark, on a copy of the demo vault."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from memory_core.errors import ServerUnavailable
from memory_core.server import protocol
from memory_core.server.client import Client
from memory_core.store import tables
from memory_core.store.database import Database

DEMO = Path(__file__).parents[1] / "demo" / "vault"
EVERYTHING_PASSES = -1e9  # with this floor each request pays for three notes and their cut


@contextlib.contextmanager
def state_folder(vault: Path = DEMO) -> Iterator[Path]:
    """A temporary `WELLKEPT_HOME` with a copy of `vault`, in force for this process."""
    with tempfile.TemporaryDirectory(prefix="wellkept-bench-") as folder:
        home = Path(folder) / "home"
        home.mkdir(mode=0o700)
        shutil.copytree(vault, Path(folder) / "vault")
        os.environ["WELLKEPT_HOME"] = str(home)
        os.environ["WELLKEPT_VAULT"] = str(Path(folder) / "vault")
        os.environ["WELLKEPT_MEASURE_FLOOR"] = "false"
        yield home


def start(home: Path) -> subprocess.Popen[bytes]:
    """Start a server; it is not ready yet."""
    with (home / "bench.log").open("ab") as log:
        command = [sys.executable, "-I", "-m", "memory_core", "serve"]
        return subprocess.Popen(command, stdout=log, stderr=log)


def until_ready(process: subprocess.Popen[bytes], home: Path) -> None:
    """Wait until models and index stand; raises when the server ended."""
    while True:
        if process.poll() is not None:
            raise RuntimeError((home / "bench.log").read_text("utf-8"))
        with contextlib.suppress(ServerUnavailable):
            health = Client(60).call(protocol.HEALTH)
            if health["status"] == "ready" and not health["building"]:
                return
        time.sleep(0.2)


def open_the_gate(home: Path) -> None:
    """Give the vault a floor under which nothing lies."""
    index = Client(60).call(protocol.INDEX)
    database = Database(f"sqlite:///{home / 'wellkept.sqlite'}")
    row = tables.Calibration(
        at=tables.now(), judge=index["judge"], vault=index["vault"], floor=EVERYTHING_PASSES,
        clearance=0.0, answered=1.0, quiet=0.0, separated=False, questions="none", detail={},
    )  # fmt: skip
    with database.write() as session:
        session.add(row)
    database.close()


def requests() -> list[str]:
    """The working set's questions in their order."""
    lines = (DEMO / ".wellkept" / "benchmark" / "working.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["query"] for line in lines if line.strip()]
