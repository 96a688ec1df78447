"""What a flow works on: the settings, the database and the vault's folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memory_core import paths
from memory_core.settings import Settings, load
from memory_core.store.database import Database


@dataclass(frozen=True, slots=True)
class Store:
    """Open for the length of one step."""

    settings: Settings
    database: Database

    @property
    def root(self) -> Path:
        """The vault's folder; without one, a folder that is not there and holds no note."""
        return self.settings.vault or paths.home() / "vault"


@contextmanager
def opened() -> Iterator[Store]:
    """Open the configured store."""
    settings = load()
    database = Database(settings.resolved_database_url)
    try:
        yield Store(settings, database)
    finally:
        database.close()
