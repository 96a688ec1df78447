"""Keeps the passage index in step with the vault: what changed, and how far it has come.

A note that did not change is not touched. Nothing about a vault is fatal: what is wrong
with it is a problem with a name.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from memory_core.errors import VaultError
from memory_core.recall.source import Source, of_note
from memory_core.vault.passages import split
from memory_core.vault.vault import Problem, Scan, Vault

STEP = 100  # notes that enter the index at once


@dataclass(frozen=True, slots=True)
class Change:
    """Sources to replace and ids to drop."""

    sources: tuple[Source, ...] = ()
    removed: tuple[str, ...] = ()

    def steps(self) -> Iterator[Change]:
        """The same change in parts of at most `STEP` sources; removals come first."""
        if self.removed:
            yield Change(removed=self.removed)
        for at in range(0, len(self.sources), STEP):
            yield Change(sources=self.sources[at : at + STEP])


@dataclass(slots=True)
class Library:
    """The notes of one vault as sources. `scanned` is false until the first look at it."""

    vault: Vault
    scanned: bool = False
    problems: tuple[Problem, ...] = ()
    hashes: dict[str, str] = field(default_factory=dict)
    missing: str = ""  # why the vault cannot be used now
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def look(self) -> Change:
        """Scan the vault and tell what changed since the last look. Never raises for a vault."""
        with self._lock:
            try:
                scan = self.vault.scan()
            except VaultError as error:
                self.problems, self.missing = (Problem("", str(error)),), error.message
                return Change()
            self.missing = ""
            return self._difference(scan)

    def _difference(self, scan: Scan) -> Change:
        known, self.hashes = self.hashes, dict(scan.hashes)
        self.problems, self.scanned = scan.problems, True
        changed = [note for note in scan.notes if scan.hashes[note.file] != known.get(note.file)]
        return Change(
            sources=tuple(of_note(note, tuple(split(note))) for note in changed),
            removed=tuple(sorted(known.keys() - self.hashes.keys())),
        )

    def as_json(self) -> dict[str, Any]:
        """`{notes, problems: [{file, message}]}`."""
        return {
            "notes": len(self.hashes),
            "problems": [{"file": one.file, "message": one.message} for one in self.problems],
        }
