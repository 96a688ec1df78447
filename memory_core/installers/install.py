"""Plans what to change for a client, by hand in its files, and undoes it again.

A plan is shown, then done whole or not at all. Planned twice it changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from memory_core import paths
from memory_core.installers import change, launcher, manifest
from memory_core.installers.change import Change
from memory_core.installers.client import Client
from memory_core.installers.manifest import Kept, Manifest
from memory_core.installers.part import Part


@dataclass(frozen=True, slots=True)
class Plan:
    """`shown` are changes that a person should see, `silent` those of our own bookkeeping."""

    client: str
    shown: list[Change]
    silent: list[Change] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether nothing has to be done."""
        return not any(one.is_one for one in (*self.shown, *self.silent))

    def diff(self) -> str:
        """What will change, file by file."""
        return "\n".join(change.diffs(self.shown))

    def apply(self) -> None:
        """Do it; raises `Conflict` or `SettingsError` and leaves everything as it was."""
        paths.ensure_home()
        change.apply([*self.silent, *self.shown])
        change.remove_empty(self.folders)


def install(client: Client, sources: Path) -> Plan:
    """What puts us into a client; raises `SettingsError` for a file that cannot be understood."""
    held = manifest.load(client.name)
    parts = client.parts(sources)
    changes, kept, backups = [], [], []
    for part in parts:
        content = change.read(part.file)
        wanted = Change(part.file, content, part.added(content))
        changes.append(wanted)
        before = _before(part, content, held)
        if before is not None:
            backups.append(manifest.backup(before))
        kept.append(Kept(str(part.file), manifest.digest(before), manifest.digest(wanted.after)))
    made = change.missing_folders([part.file for part in parts])
    known = [Path(folder) for folder in held.folders] if held else []
    done = Manifest(
        client.name, version("wellkept"), files=kept,
        folders=[str(folder) for folder in dict.fromkeys([*known, *made])],
    )  # fmt: skip
    unchanged = held is not None and not any(one.is_one for one in changes)
    silent = [] if unchanged else [*backups, done.write()]
    return Plan(client.name, [*launcher.changes(), *changes], silent)


def uninstall(client: Client, sources: Path) -> Plan:
    """What takes us out of a client.

    To the byte where nobody changed a file since, else our entries alone. Raises
    `SettingsError` for a file that cannot be understood.
    """
    held = manifest.load(client.name)
    changes = []
    for part in client.parts(sources):
        content = change.read(part.file)
        known = held.of(part.file) if held else None
        changes.append(Change(part.file, content, _without(part, content, known)))
    silent = manifest.removal(client.name)
    folders = [Path(folder) for folder in held.folders] if held else []
    if not set(manifest.installed()) - {client.name}:
        changes += launcher.removals()
        folders += [
            manifest.folder() / "before",
            manifest.folder(),
            launcher.folder(),
            paths.home(),
        ]
    return Plan(client.name, changes, silent, folders)


def _before(part: Part, content: bytes | None, held: Manifest | None) -> bytes | None:
    """The file as it would be without us."""
    return _without(part, content, held.of(part.file) if held else None)


def _without(part: Part, content: bytes | None, known: Kept | None) -> bytes | None:
    before = manifest.kept(known.before) if known else None
    is_as_we_left_it = known is not None and manifest.digest(content) == known.after
    if is_as_we_left_it and (before is not None or not (known and known.before)):
        return before
    return part.removed(content, before)
