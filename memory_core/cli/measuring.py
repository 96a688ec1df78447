"""What the measuring commands share: the settings with the store, and progress as it goes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory_core.settings import Settings
    from memory_core.store.database import Database


def settings() -> Settings:
    """The settings; raises `SettingsError`."""
    from memory_core.settings import load

    return load()


def open_store() -> tuple[Settings, Database]:
    """The settings and the database that they name."""
    from memory_core.store.database import Database

    chosen = settings()
    return chosen, Database(chosen.resolved_database_url)


def say(line: str) -> None:
    """A line on standard error, so that standard output stays the result."""
    print(line, file=sys.stderr, flush=True)


def progress(what: str) -> Callable[[int, int], None]:
    """Says how far it is, every 25 steps."""

    def show(done: int, total: int) -> None:
        if done % 25 == 0 or done == total:
            say(f"{what} {done} of {total}")

    return show
