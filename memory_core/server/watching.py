"""Tells when a folder may have changed: from the system's events, and by looking anyway.

Events do not come from every file system, so a folder that is quick to look at is
looked at every `REST_SECONDS` too; a large one as often as it costs two percent of a core.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from pathlib import Path

log = logging.getLogger("wellkept.server")
REST_SECONDS = 1.5
_RESTS_A_LOOK = 50
_QUIET_MS = 50  # changes within this time are one
_MOST_MS = 400


def watch(root: Path, stop: threading.Event) -> Iterator[None]:
    """Yield whenever `root` may have changed, until `stop` is set. Never raises.

    What the caller does between two yields counts as the cost of a look.
    """
    rest = REST_SECONDS
    for event in _events(root, stop):
        if not event and rest > 0:
            rest -= REST_SECONDS
            continue
        since = time.monotonic()
        yield
        rest = (time.monotonic() - since) * _RESTS_A_LOOK - REST_SECONDS


def _events(root: Path, stop: threading.Event) -> Iterator[bool]:
    """True for an event, false after `REST_SECONDS` without one."""
    while not stop.is_set():
        try:
            yield from _system_events(root, stop)
        except (OSError, RuntimeError) as error:  # no such folder, or no watches left
            log.warning("no change events for the vault, looking instead: %s", error)
        if not stop.wait(REST_SECONDS):
            yield False


def _system_events(root: Path, stop: threading.Event) -> Iterator[bool]:
    import watchfiles

    for changes in watchfiles.watch(
        root,
        watch_filter=lambda _, path: "/.git/" not in path,
        stop_event=stop,
        debounce=_MOST_MS,
        step=_QUIET_MS,
        rust_timeout=int(REST_SECONDS * 1000),
        yield_on_timeout=True,
        raise_interrupt=False,
        ignore_permission_denied=True,
    ):
        yield bool(changes)
        if not root.is_dir():
            return
