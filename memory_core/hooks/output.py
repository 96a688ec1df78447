"""The one document a hook may print, and the watchdog that has the last word.

Whoever claims the output first, the work or the watchdog, prints; the other prints
nothing. The process ends with 0 in every case.
"""

from __future__ import annotations

import _thread
import os
import select
import time

from memory_core.hooks.clock import Clock

_STDOUT = 1
_claim = _thread.allocate_lock()


def emit(document: bytes) -> None:
    """Print the document unless something was printed already."""
    if not _claim.acquire(False):
        return
    left = memoryview(document)
    while left:
        left = left[os.write(_STDOUT, left) :]


def end() -> None:
    """End the process at once, with 0; nothing buffered is written."""
    os._exit(0)


def watch(clock: Clock, document: bytes) -> None:
    """Print `document` and end the process when its time is over, whatever it is doing then."""
    _thread.start_new_thread(_wait, (clock, document))


def _wait(clock: Clock, document: bytes) -> None:
    try:
        while (left := clock.last_word) > 0:
            time.sleep(left)
        _, writable, _ = select.select([], [_STDOUT], [], 0)
        if writable and document:
            emit(document)
    finally:
        end()
