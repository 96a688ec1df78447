"""Export: every table as lines of JSON, the notes as they are, and pages for people.

Made in a folder beside the target and renamed when it is whole; the database is read in one
transaction while nobody else writes to the vault.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from memory_core.errors import BadInput, VaultError
from memory_core.exporters import manifest as manifests
from memory_core.exporters import rows
from memory_core.exporters.manifest import Manifest
from memory_core.exporters.pages import pages
from memory_core.proposals.lock import one_writer
from memory_core.settings import Settings
from memory_core.store import migrate
from memory_core.store.database import Database
from memory_core.store.tables import now
from memory_core.vault.vault import Vault

OWN = ".wellkept"  # what the vault holds of ours: the questions of the benchmark


def export(settings: Settings, folder: Path, *, record: bool = True) -> Manifest:
    """Write everything into a folder that is not there, or is empty.

    Raises `BadInput` for any other folder; nothing is left behind then.
    """
    folder = _free(folder, settings)
    vault = Vault(settings.vault, settings.always_loaded) if settings.vault else None
    database = Database(settings.resolved_database_url)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        staged = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise BadInput(f"{folder.parent} cannot be written: {error.strerror}") from None
    try:
        with one_writer(database):
            made = _write(database, vault, settings, staged, record)
        staged.replace(folder)
    except OSError as error:
        raise BadInput(
            f"{folder} cannot be written: {error.strerror}", remedy="name another folder"
        ) from None
    finally:
        with suppress(OSError):
            shutil.rmtree(staged)
    return made


def _free(folder: Path, settings: Settings) -> Path:
    try:
        folder = folder.expanduser().resolve()
        if folder.is_dir() and any(folder.iterdir()):
            raise BadInput(f"{folder} is not empty", remedy="name a folder that is not there yet")
        if folder.exists() and not folder.is_dir():
            raise BadInput(f"{folder} is a file", remedy="name a folder that is not there yet")
    except OSError as error:
        raise BadInput(f"{folder} cannot be used: {error.strerror}") from None
    if settings.vault and folder.is_relative_to(settings.vault):
        raise BadInput(
            f"{folder} lies in the vault: its copies would count as notes",
            remedy="name a folder outside of it",
        )
    return folder


def _write(
    database: Database, vault: Vault | None, settings: Settings, folder: Path, record: bool
) -> Manifest:
    made = Manifest(now().isoformat(), migrate.newest(), settings.always_loaded, record)
    with database.read() as session:
        for name in rows.names(record=record):
            made.counts[name] = _write_lines(
                folder / "tables" / f"{name}.jsonl", rows.lines(session, name)
            )
        for name, text in pages(session, record=record):
            _write_lines(folder / name, [text.rstrip("\n")])
    made.notes = _copy_notes(vault, folder / "notes") if vault else 0
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    made.files = {path.relative_to(folder).as_posix(): manifests.digest(path) for path in files}
    (folder / manifests.NAME).write_text(made.written(), "utf-8")
    return made


def _write_lines(path: Path, lines: Iterable[str]) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    count = 0
    with path.open("w", encoding="utf-8", errors="replace", newline="\n") as stream:
        for line in lines:
            stream.write(line + "\n")
            count += 1
    return count


def _copy_notes(vault: Vault, folder: Path) -> int:
    """Copy the notes, the always-loaded file and what the vault holds of ours; how many."""
    names = list(vault.scan().hashes)
    if (vault.root / vault.always_loaded).is_file():
        names.append(vault.always_loaded)
    own = sorted(path for path in (vault.root / OWN).rglob("*") if path.is_file())
    for path in (*(vault.root / name for name in names), *own):
        target = folder / path.relative_to(vault.root)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
        except OSError as error:
            raise VaultError(f"{path} cannot be copied: {error.strerror}") from None
    return len(names)
