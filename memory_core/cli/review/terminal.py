"""A terminal that gives single keys and whole screens, and is always given back as it was.

While it is entered: no echo, no line buffer, the alternate screen, no cursor. It is left
on every way out: return, exception, SIGTERM, SIGHUP, and for as long as the process is
stopped by Ctrl-Z.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import termios
import tty
from collections.abc import Iterator, Sequence
from types import FrameType, TracebackType
from typing import Any

from memory_core.cli.review.keys import Decoder

# alternate screen, no cursor, no automatic wrap, pasted text marked
_ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h\x1b[2J"
_LEAVE = "\x1b[?2004l\x1b[?7h\x1b[0m\x1b[?25h\x1b[?1049l"
_ESCAPE_SECONDS = 0.05  # an escape sequence arrives whole; the key alone has nothing behind it
_ENDING = (signal.SIGTERM, signal.SIGHUP)


class Terminal:
    """Use it as a context; one at a time, in the main thread."""

    def __init__(self, source: int = 0, sink: int = 1) -> None:
        self._source, self._sink = source, sink
        self._decoder = Decoder()
        self._keys: list[str] = []
        self._normal: list[Any] = []
        self._handlers: dict[int, Any] = {}
        self._wake: tuple[int, int] = (-1, -1)
        self._wakeup_before = -1
        self._drawn: list[str] = []

    def __enter__(self) -> Terminal:
        self._wake = os.pipe()
        for end in self._wake:
            os.set_blocking(end, False)
        self._take()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._give_back()
        for end in self._wake:
            os.close(end)

    @property
    def size(self) -> tuple[int, int]:
        """Columns and lines."""
        try:
            columns, lines = os.get_terminal_size(self._sink)
        except OSError:
            return 80, 24
        return columns or 80, lines or 24

    def draw(self, lines: Sequence[str]) -> None:
        """Show these lines and nothing else; each is put in its place, so none can move another."""
        if list(lines) == self._drawn:
            return
        _, height = self.size
        rows = [f"\x1b[{row};1H\x1b[2K{line}\x1b[0m" for row, line in enumerate(lines, 1)]
        below = f"\x1b[{len(lines) + 1};1H\x1b[J" if len(lines) < height else ""
        self._write("".join(rows) + below)
        self._drawn = list(lines)

    def key(self, seconds: float) -> str:
        """The next key; "" when none came in time or the screen must be drawn again.

        Raises `KeyboardInterrupt` for Ctrl-C and `EOFError` when the terminal is gone.
        """
        if not self._keys:
            self._keys = self._read(seconds)
        key = self._keys.pop(0) if self._keys else ""
        if key == "interrupt":
            raise KeyboardInterrupt
        if key == "suspend":
            os.killpg(os.getpgrp(), signal.SIGTSTP)
        if key in ("suspend", "redraw"):
            self._drawn = []
            return ""
        return key

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """The terminal as it was, for a program or a question; keys typed meanwhile are dropped."""
        self._give_back()
        try:
            yield
        finally:
            self._take()

    def _take(self) -> None:
        self._normal = termios.tcgetattr(self._source)
        self._wakeup_before = signal.set_wakeup_fd(self._wake[1], warn_on_full_buffer=False)
        for number in _ENDING:
            self._handlers[number] = signal.signal(number, _end)
        self._handlers[signal.SIGTSTP] = signal.signal(signal.SIGTSTP, self._stop)
        self._handlers[signal.SIGWINCH] = signal.signal(signal.SIGWINCH, self._changed)
        self._raw()

    def _give_back(self) -> None:
        self._cooked()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._handlers.clear()
        signal.set_wakeup_fd(self._wakeup_before)

    def _raw(self) -> None:
        tty.setraw(self._source, termios.TCSAFLUSH)  # what was typed unseen decides nothing
        self._keys, self._decoder, self._drawn = [], Decoder(), []
        self._write(_ENTER)

    def _cooked(self) -> None:
        with contextlib.suppress(OSError, termios.error):  # it may be gone
            self._write(_LEAVE)
        with contextlib.suppress(OSError, termios.error):
            termios.tcsetattr(self._source, termios.TCSAFLUSH, self._normal)

    def _stop(self, number: int, _frame: FrameType | None) -> None:
        """Stop as the shell expects it, and come back to the same screen."""
        self._cooked()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, self._stop)
        self._raw()

    def _changed(self, _number: int, _frame: FrameType | None) -> None:
        self._drawn = []

    def _read(self, seconds: float) -> list[str]:
        ready, _, _ = select.select([self._source, self._wake[0]], [], [], seconds)
        if self._wake[0] in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self._wake[0], 512)
        if self._source not in ready:
            return []
        keys = self._decoder.feed(self._bytes())
        while self._decoder.waits and not keys:
            more, _, _ = select.select([self._source], [], [], _ESCAPE_SECONDS)
            keys = self._decoder.feed(self._bytes() if more else b"", final=not more)
            if not more:
                break
        return keys

    def _bytes(self) -> bytes:
        try:
            data = os.read(self._source, 1024)
        except OSError:
            data = b""
        if not data:
            raise EOFError("the terminal is closed")
        return data

    def _write(self, text: str) -> None:
        data = text.encode("utf-8", "replace")
        while data:
            data = data[os.write(self._sink, data) :]


def _end(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
