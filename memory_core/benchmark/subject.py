"""What is measured: the notes of a vault behind the loaded models, in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from memory_core import paths
from memory_core.benchmark.history import About, digest_of
from memory_core.errors import SettingsError
from memory_core.recall.recall import Models, Recall
from memory_core.recall.source import of_note
from memory_core.settings import Settings
from memory_core.vault.passages import split
from memory_core.vault.repository import head_commit
from memory_core.vault.vault import Scan, Vault

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Subject:
    """A vault as it is now, indexed and embedded."""

    vault: Vault
    scan: Scan
    recall: Recall

    @property
    def name(self) -> str:
        """The vault's folder, under which floors are kept."""
        return str(self.vault.root)

    @property
    def commit(self) -> str:
        """The vault's git commit; empty without git."""
        return head_commit(self.vault.root)

    def about(self, floor: float | None) -> About:
        """What a run at this floor is a run of."""
        notes = digest_of(self.scan.hashes)
        return About(self.recall.judge_id, floor, self.name, self.commit, notes)


def load(settings: Settings, say: Say = lambda _: None, models: Models | None = None) -> Subject:
    """Index the vault named in the settings; a minute on a cold cache. `say` tells the steps.

    Raises `SettingsError` without a vault and `VaultError` for one that cannot be used.
    """
    vault = open_vault(settings)
    scan = vault.scan()
    say("loading the models")
    loaded = models or Models.load(settings)
    if loaded.problem:
        say(f"words only: {loaded.problem}")
    paths.ensure_home()
    recall = Recall(settings, loaded, paths.cache_file())
    recall.update(of_note(note, tuple(split(note))) for note in scan.notes)
    while recall.pending:
        say(f"{recall.pending} passages to embed")
        recall.embed_some(64)
    return Subject(vault, scan, recall)


def open_vault(settings: Settings) -> Vault:
    """The vault named in the settings; raises as `load` does."""
    if settings.vault is None:
        raise SettingsError("no vault is set", remedy="run: wellkept init FOLDER")
    return Vault(settings.vault, settings.always_loaded)
