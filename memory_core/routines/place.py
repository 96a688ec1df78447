"""Where a routine stands: whose session it was, and the notes its findings may go to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from memory_core.errors import NotFound
from memory_core.vault.note import Note
from memory_core.vault.vault import Vault

Ask = Callable[[str, dict[str, Any]], dict[str, Any]]
"""`ask(operation, payload)`: the one way to the warm server; operations are the paths of
server/protocol.py without their slash. Raises `ServerUnavailable`."""


@dataclass(frozen=True, slots=True)
class Place:
    """`notes` are a scan's; `always_loaded` is a file relative to the vault.

    Without a vault (`has_vault` false) findings go to the user's banks. `cap` and the
    always-loaded text count in characters.
    """

    user: str
    scope: str
    session: str
    notes: tuple[Note, ...] = ()
    always_loaded: str = "MEMORY.md"
    always_loaded_text: str = ""
    cap: int = 3000
    has_vault: bool = True

    @classmethod
    def of(cls, vault: Vault, *, user: str, scope: str, session: str, cap: int = 3000) -> Place:
        """The place of a session beside a vault as it is now.

        Raises `VaultError` when the vault cannot be read.
        """
        try:
            text = vault.read(vault.always_loaded)
        except NotFound:
            text = ""
        return cls(user, scope, session, vault.scan().notes, vault.always_loaded, text, cap)

    @property
    def room(self) -> int:
        """Characters that the always-loaded file may still take."""
        return max(0, self.cap - len(self.always_loaded_text))

    def note(self, file: str) -> Note | None:
        """A note by its file."""
        return next((note for note in self.notes if note.file == file), None)
