"""Run a command with a PostgreSQL server of its own: `python -m tests.postgres COMMAND ...`.

The server lives in a temporary folder, listens on a Unix socket alone and keeps nothing.
Its locale and its time zone are unlike SQLite's, so that what depends on them is found. As
root it runs as the user `postgres` or `nobody`. Where no PostgreSQL 15 or later is found,
nothing is run: the exit code is 0 and a line says so.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

OLDEST = 15
VARIABLE = "WELLKEPT_POSTGRES_BIN"  # the folder of initdb and pg_ctl
_SETTINGS = {
    "listen_addresses": "''",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "shared_buffers": "64MB",
    "max_connections": "100",
    "timezone": "Asia/Tokyo",
    "autovacuum": "off",
}


def main(command: list[str]) -> int:
    """Run the command with the server's URL in its environment; returns its exit code."""
    programs = found()
    if programs is None:
        print(f"skipped: no PostgreSQL {OLDEST} here (apt-get install postgresql-{OLDEST})")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the server must not outlive us
    folder = Path(tempfile.mkdtemp(prefix="wk-pg-"))
    server = _Server(programs, folder)
    try:
        server.start()
        environment = {
            **os.environ,
            "WELLKEPT_TEST_DATABASE": "postgres",
            "WELLKEPT_TEST_POSTGRES": server.url,
        }
        return subprocess.run(command, env=environment, check=False).returncode
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def found() -> Path | None:
    """The folder of the newest PostgreSQL's programs that is not too old."""
    named = os.environ.get(VARIABLE)
    folders = [Path(named)] if named else [*Path("/usr/lib/postgresql").glob("*/bin")]
    if not named and (initdb := shutil.which("initdb")):
        folders.append(Path(initdb).resolve().parent)
    known = [(version, folder) for folder in folders if (version := _version(folder)) >= OLDEST]
    return min(known)[1] if known else None


def _version(folder: Path) -> int:
    try:
        told = subprocess.run(
            [folder / "initdb", "--version"], capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return 0
    match = re.search(r"\) (\d+)", told)
    return int(match[1]) if match else 0


class _Server:
    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs, self._folder = programs, folder
        self._data, self._log = folder / "data", folder / "log"
        self._as = _unprivileged()
        if self._as:
            os.chown(folder, self._as["user"], self._as["group"])
        self.url = f"postgresql+psycopg://wellkept@/postgres?host={folder}"

    def start(self) -> None:
        self._run(
            "initdb", "-D", self._data, "-U", "wellkept", "-A", "trust", "--no-sync",
            "-E", "UTF8", "--locale", "C.UTF-8", "--locale-provider", "icu",
            "--icu-locale", "en-US",
        )  # fmt: skip
        options = " ".join(f"-c {name}={value}" for name, value in _SETTINGS.items())
        self._run(
            "pg_ctl", "-D", self._data, "-l", self._log, "-w", "-t", "60",
            "-o", f"-k {self._folder} {options}", "start",
        )  # fmt: skip

    def stop(self) -> None:
        if (self._data / "postmaster.pid").exists():
            self._run("pg_ctl", "-D", self._data, "-m", "immediate", "-w", "stop")

    def _run(self, program: str, *arguments: str | Path) -> None:
        done = subprocess.run(
            [self._programs / program, *arguments], stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self._folder, check=False,
            **self._as,
        )  # fmt: skip
        if done.returncode:
            log = self._log.read_text("utf-8", "replace") if self._log.exists() else ""
            raise SystemExit(f"{program} failed:\n{done.stdout}{log}")


def _unprivileged() -> dict[str, Any]:
    """For root, who may not run a server: another user's ids, as `subprocess` takes them."""
    if os.geteuid():
        return {}
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    raise SystemExit("root cannot run PostgreSQL, and there is no user postgres or nobody")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
