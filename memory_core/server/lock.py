"""A lock on a file, held for a process's life; the system frees it however the process ends."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import Any

from memory_core.errors import Conflict


class ProcessLock:
    """At most one living process holds the lock of `file`; the file says which."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._descriptor: int | None = None

    def acquire(self, what: str) -> None:
        """Take the lock; raises `Conflict` when another living process has it."""
        self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self.file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            raise Conflict(
                f"{what} is running already, as process {self.holder().get('pid', 'unknown')}",
                remedy="wellkept down ends it",
            ) from None
        self._descriptor = descriptor
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps(identity(os.getpid())).encode(), 0)

    def release(self) -> None:
        """Give the lock back; the file stays, so that nobody locks a deleted one."""
        if self._descriptor is not None:
            os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = None

    def held(self) -> bool:
        """Whether a living process holds it."""
        try:
            descriptor = os.open(self.file, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(descriptor)
        return False

    def holder(self) -> dict[str, Any]:
        """`{pid, started}` of who took it last, or nothing."""
        try:
            written = json.loads(self.file.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return written if isinstance(written, dict) else {}


def identity(pid: int) -> dict[str, Any]:
    """A process's number with its start, so that a reused number is told apart."""
    return {"pid": pid, "started": _started(pid)}


def is_alive(named: dict[str, Any]) -> bool:
    """Whether the very process that `identity` named still lives."""
    pid = named.get("pid")
    return isinstance(pid, int) and named == identity(pid) and bool(named.get("started"))


def _started(pid: int) -> str:
    """This boot and the process's start in it, in the system's own form; "" = no such process."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rsplit(b")", 1)[1].split()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return "" if fields[0] == b"Z" else f"{boot} {fields[19].decode()}"
    except (OSError, IndexError):
        pass
    if Path("/proc/self").exists():
        return ""
    import subprocess

    asked = ["ps", "-o", "lstart=", "-p", str(pid)]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
