"""Restoring: an export into an empty home, the same state as before; all of it or nothing."""

from __future__ import annotations

import filecmp
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from memory_core import paths, settings
from memory_core.errors import BadInput, Conflict
from memory_core.exporters import manifest, rows
from memory_core.exporters.manifest import Manifest
from memory_core.proposals.lock import one_writer
from memory_core.settings import Settings
from memory_core.store.database import Database


@dataclass(frozen=True, slots=True)
class Restored:
    """How much came back, and where its notes are."""

    rows: int
    notes: int
    vault: Path
    made_at: str

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return asdict(self) | {"vault": str(self.vault)}


def restore(folder: Path, chosen: Settings, *, dry: bool = False) -> Restored:
    """Bring back an export; notes go to the vault that is set, else into the state folder.

    Raises `BadInput` for an export that is not whole, and `Conflict` for a home that holds
    something, or a vault that holds other notes.
    """
    held = manifest.load(folder)
    vault = chosen.vault or (paths.ensure_home() / "vault").resolve()
    database = Database(chosen.resolved_database_url)
    _check_empty(database, vault, folder / "notes")
    done = Restored(sum(held.counts.values()), held.notes, vault, held.made_at)
    if not dry:
        with one_writer(database), _notes(folder / "notes", vault):
            _fill(database, folder, held, vault if chosen.vault is None else None)
    return done


def _check_empty(database: Database, vault: Path, notes: Path) -> None:
    with database.read() as session:
        used = rows.used(session)
    if used:
        raise Conflict(
            f"this home is not empty ({', '.join(used[:4])}): an export is restored whole",
            remedy=f"set {paths.HOME_VARIABLE} to a new folder and import it there",
        )
    if vault.is_dir() and any(vault.iterdir()) and not _same(notes, vault):
        raise Conflict(
            f"the vault {vault} holds other notes than the export",
            remedy="wellkept init FOLDER with an empty folder, then import again",
        )


def _same(notes: Path, vault: Path) -> bool:
    """Whether the vault holds every note of the export, to the byte."""
    return notes.is_dir() and all(
        (vault / name).is_file() and filecmp.cmp(notes / name, vault / name, shallow=False)
        for name in _names(notes)
    )


def _names(notes: Path) -> list[Path]:
    return [path.relative_to(notes) for path in sorted(notes.rglob("*")) if path.is_file()]


@contextmanager
def _notes(notes: Path, vault: Path) -> Iterator[None]:
    """The notes in the vault while the database is filled; gone again where that fails."""
    if vault.is_dir() and any(vault.iterdir()):
        yield
        return
    staged = None
    try:
        vault.parent.mkdir(parents=True, exist_ok=True)
        staged = Path(tempfile.mkdtemp(prefix=f".{vault.name}-", dir=vault.parent))
        if notes.is_dir():
            shutil.copytree(notes, staged, dirs_exist_ok=True)
        staged.replace(vault)
    except OSError as error:
        if staged is not None:
            shutil.rmtree(staged, ignore_errors=True)
        raise BadInput(f"{vault} cannot be written: {error.strerror or error}") from None
    try:
        yield
    except BaseException:
        with suppress(OSError):
            shutil.rmtree(vault)
        raise


def _fill(database: Database, folder: Path, held: Manifest, vault: Path | None) -> None:
    """Every table, and the setting of a `vault` that is new, in one transaction.

    Killed before its end, the home is still empty and the same import starts anew.
    """
    try:
        with database.write() as session:
            for name in rows.names():
                file = folder / "tables" / f"{name}.jsonl"
                if not file.is_file():
                    continue
                with file.open(encoding="utf-8") as lines:
                    count = rows.fill(session, name, lines)
                if count != held.counts.get(name):
                    raise BadInput(f"{file} holds {count:,} rows, not {held.counts.get(name)}")
            if vault is not None:
                settings.save({"vault": str(vault)})
    except SQLAlchemyError as error:
        raise BadInput(
            f"{folder} does not fit this database: {error.__class__.__name__}",
            remedy="export again with this version",
        ) from None
