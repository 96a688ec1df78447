"""A person at a real terminal: a process on a pty, its screen as a terminal emulator shows it."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

import pyte

from memory_core.cli.here import AGENT_MARKS

Hire = Callable[..., "Person"]
WELLKEPT = (sys.executable, "-I", "-m", "memory_core")


class Person:
    """Starts a command on a terminal of that size; reads screens and presses keys."""

    def __init__(
        self,
        *command: str,
        columns: int = 80,
        lines: int = 24,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> None:
        self.screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self.screen)
        self.raw, self.keys = b"", 0
        self.terminal, inner = pty.openpty()
        self.resize(columns, lines)
        self.modes = termios.tcgetattr(inner)
        self.process = subprocess.Popen(
            command, stdin=inner, stdout=inner, stderr=inner, start_new_session=True,
            preexec_fn=_own_terminal, env=environment(env or {}), cwd=cwd,
        )  # fmt: skip
        self._inner = inner

    def __enter__(self) -> Person:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)
        self.hang_up()

    @property
    def shown(self) -> str:
        """The screen, a line a line, without the blanks at the ends."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    @property
    def said(self) -> str:
        """Everything that was written so far, control sequences included."""
        return self.raw.decode("utf-8", "replace")

    def until(self, text: str, seconds: float = 30) -> str:
        """Read until the screen shows the text; returns the screen."""
        return self._until(lambda: text in self.shown, text, seconds)

    def until_said(self, text: str, times: int = 1, seconds: float = 30) -> str:
        """Read until the text was written so many times, wherever it is now."""
        return self._until(lambda: self.said.count(text) >= times, text, seconds)

    def press(self, *keys: str) -> None:
        """Press keys; each counts."""
        for key in keys:
            self.keys += 1
            os.write(self.terminal, key.encode())

    def ended(self, seconds: float = 30) -> int:
        """The exit code once the process has ended, with all that it wrote read."""
        end = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < end:
            self._read(0.05)
        while self._read(0.05):
            pass
        return self.process.wait(1)

    def given_back(self) -> bool:
        """Whether the terminal is in the modes that it had at the start."""
        return termios.tcgetattr(self._inner) == self.modes

    def resize(self, columns: int, lines: int) -> None:
        """Give the terminal another size."""
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.screen.resize(lines, columns)

    def hang_up(self) -> None:
        """Close the terminal's window."""
        for end in (self._inner, self.terminal):
            if end >= 0:
                os.close(end)
        self._inner = self.terminal = -1

    def _until(self, met: Callable[[], bool], text: str, seconds: float) -> str:
        end = time.monotonic() + seconds
        while not met():
            assert time.monotonic() < end, (
                f"{text!r} never came:\n{self.shown}\n{self.said[-2000:]}"
            )
            if not self._read(0.2) and self.process.poll() is not None and not self._read(0.1):
                assert met(), f"ended without {text!r}:\n{self.shown}\n{self.said[-2000:]}"
        return self.shown

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self.terminal], [], [], seconds)
        if not ready:
            return False
        try:
            data = os.read(self.terminal, 65_536)
        except OSError:
            return False
        self.raw += data
        self._stream.feed(data)
        return bool(data)


def environment(extra: Mapping[str, str]) -> dict[str, str]:
    """That of a person's shell: no agent's marks, a terminal that can draw, no editor."""
    left_out = {*AGENT_MARKS, "EDITOR", "VISUAL", "NO_COLOR", "LINES", "COLUMNS"}
    own = {name: value for name, value in os.environ.items() if name not in left_out}
    return {**own, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "TZ": "UTC", **extra}


def wellkept(*arguments: str) -> Sequence[str]:
    """The command line of a command."""
    return (*WELLKEPT, *arguments)


def _own_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
