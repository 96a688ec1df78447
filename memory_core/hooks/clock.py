"""How long this process has lived, and how long it may; standard library only.

Hooks have no dataclasses: importing them costs more than everything else a hook does.
"""

from __future__ import annotations

import os
import time

from memory_core import paths
from memory_core.server import protocol

VARIABLE = "WELLKEPT_DEADLINE_MS"
_LOADED = time.monotonic()
_INTERPRETER_SECONDS = 0.05  # assumed start-up time where the system does not tell
_LEAST_MS, _MOST_MS = 100, 10_000


class Clock:
    """`started` is on the monotonic clock; the process says its last word at `limit` seconds."""

    def __init__(self, started: float, limit: float) -> None:
        self.started, self.limit = started, limit

    @property
    def age(self) -> float:
        """Seconds since the process started."""
        return time.monotonic() - self.started

    @property
    def last_word(self) -> float:
        """Seconds until the watchdog speaks; leaves time to write and to end."""
        return self.limit * 0.9 - self.age

    @property
    def answer(self) -> float:
        """Seconds that a server may take from now on."""
        return max(0.01, self.limit * 0.84 - self.age)


def start() -> Clock:
    """The clock of this process, running since the operating system started it."""
    return Clock(_process_start(), _limit_ms() / 1000)


def _process_start() -> float:
    try:
        with open("/proc/self/stat", "rb") as stat:  # noqa: PTH123 - without pathlib
            ticks = int(stat.read().rsplit(b")", 1)[1].split()[19])
        born = ticks / os.sysconf("SC_CLK_TCK")
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - born
        if 0 <= age < 60:
            return time.monotonic() - age
    except (OSError, ValueError, IndexError, AttributeError):
        pass
    return _LOADED - _INTERPRETER_SECONDS


def _limit_ms() -> int:
    named = os.environ.get(VARIABLE) or _configured()
    value = int(named) if named.isdecimal() else protocol.DEADLINE_MS
    return min(max(value, _LEAST_MS), _MOST_MS)


def _configured() -> str:
    """`deadline_ms` of the settings file, read without a TOML parser, which costs too much."""
    try:
        with open(os.fspath(paths.config_file()), encoding="utf-8") as lines:  # noqa: PTH123
            for line in lines:
                key, _, value = line.partition("=")
                if key.strip() == "deadline_ms":
                    return value.partition("#")[0].strip()
    except (OSError, ValueError, RuntimeError):
        pass
    return ""
