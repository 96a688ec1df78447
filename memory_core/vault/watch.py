"""Watching a vault: says within two seconds that a scan is due.

An edit, a rename, a deletion, a renamed folder or a checkout comes as one batch.
Where the operating system grants no more watches, the folder is polled. A vault that
is moved away and comes back is watched again.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from threading import Event

from memory_core.vault.ignore import IGNORE_FILE
from memory_core.vault.listing import is_note
from memory_core.vault.vault import Vault

DEBOUNCE_MS = 500  # longest wait for more of a batch
TICK_MS = 1000  # how often an idle watch looks whether its root still stands
HEARTBEAT = 30  # ticks after which a scan is due even if no event came (network folders)

_log = logging.getLogger(__name__)


def watch(vault: Vault, stop: Event, *, polling: bool = False) -> Iterator[frozenset[str]]:
    """Yield whenever a scan is due, until `stop` is set; blocks in between.

    A set holds the changed paths relative to the vault; it is empty when the watch
    begins to stand, when the root was replaced, and at a heartbeat.
    """
    while not stop.is_set():
        root = _identity(vault.root)
        if root is None:
            stop.wait(TICK_MS / 1000)
            continue
        try:
            yield from _batches(vault.root, root, stop, polling)
        except FileNotFoundError:
            continue
        except (OSError, RuntimeError) as error:
            if not polling:
                _log.warning("no file events (%s): the vault is polled", error)
            else:
                stop.wait(TICK_MS / 1000)
                yield frozenset()
            polling = True


def _batches(
    root: Path, identity: tuple[int, int], stop: Event, polling: bool
) -> Iterator[frozenset[str]]:
    """Batches while `root` stays the same folder."""
    from watchfiles import Change, watch

    def relevant(change: Change, path: str) -> bool:
        return _relevant(_relative(root, path), path, gone=change == Change.deleted)

    quiet = HEARTBEAT  # the first tick means: the watch stands
    for changes in watch(
        root,
        watch_filter=relevant,
        debounce=DEBOUNCE_MS,
        stop_event=stop,
        rust_timeout=TICK_MS,
        yield_on_timeout=True,
        raise_interrupt=False,
        force_polling=polling or None,
        poll_delay_ms=DEBOUNCE_MS,
        ignore_permission_denied=True,
    ):
        replaced = _identity(root) != identity
        quiet = 0 if changes else quiet + 1
        if changes or replaced or quiet > HEARTBEAT:
            quiet = 0
            yield frozenset(_relative(root, path) for _, path in changes)
        if replaced:
            return


def _relative(root: Path, path: str) -> str:
    return PurePosixPath(os.path.relpath(path, root)).as_posix()


def _relevant(file: str, path: str, *, gone: bool) -> bool:
    """Whether a scan could see the change: notes, folders, and what git ignores."""
    *folders, name = file.split("/")
    if file == ".git/info/exclude":
        return True
    if any(folder.startswith(".") for folder in folders):
        return False
    if name == IGNORE_FILE or is_note(name):
        return True
    return not name.startswith(".") and (gone or Path(path).is_dir())


def _identity(root: Path) -> tuple[int, int] | None:
    try:
        status = root.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
