"""A desk: files of the vault with an item's changes laid on, before anything is written.

Items of one file compose in the order they are laid on. An item that does not fit
raises `Conflict` and leaves the desk as it was.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol, TypeVar

from memory_core.errors import BadInput, Conflict, Permanent, VaultError
from memory_core.proposals import edit, new_note
from memory_core.proposals.snapshot import MISSING, Snapshot, read
from memory_core.settings import Settings
from memory_core.store.tables import now
from memory_core.text import clean, fold, one_line
from memory_core.vault.note import parse

_MARK = re.compile(r"^(?:[-*+]|\d{1,9}[.)])\s+")


class Wanted(Protocol):
    """What the desk reads of an item, stored or not."""

    @property
    def action(self) -> str: ...
    @property
    def target(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def before(self) -> str: ...
    @property
    def after(self) -> str: ...
    @property
    def detail(self) -> Mapping[str, Any]: ...


T = TypeVar("T", bound=Wanted)


@dataclass(frozen=True, slots=True)
class Edit:
    """What an item does to one file."""

    file: str
    before: Snapshot
    after: Snapshot


class AlreadyThere(Conflict):
    """What the item would add stands in the target already."""


class OverCap(Conflict):
    """The always-loaded file would grow above its cap."""


@dataclass(slots=True)
class Desk:
    """`originals` are the files as they are, `texts` as they would be."""

    root: Path
    settings: Settings
    moment: datetime = field(default_factory=now)
    originals: dict[str, Snapshot] = field(default_factory=dict)
    texts: dict[str, Snapshot] = field(default_factory=dict)

    def require_vault(self) -> None:
        """Raise `VaultError` where the vault itself is not there: no file of it is gone then."""
        if not self.root.is_dir():
            raise VaultError(f"the vault {self.root} is not there", remedy="mount it, or name it")

    def original(self, file: str) -> Snapshot:
        """The file as it is; raises as `snapshot.read`."""
        if file not in self.originals:
            self.originals[file] = read(self.root, file, self.settings.always_loaded)
        return self.originals[file]

    def current(self, file: str) -> Snapshot:
        """The file with what was laid on so far."""
        return self.texts.get(file) or self.original(file)

    def alone(self) -> Desk:
        """An empty desk over the same files."""
        return Desk(self.root, self.settings, self.moment, self.originals)

    def lay(self, item: Wanted) -> list[Edit]:
        """Lay an item on and return its edits, the source of a move first.

        Raises `Conflict` where it does not fit, `AlreadyThere` where nothing is to be done.
        """
        edits = self._edits(item)
        for change in edits:
            self._check_cap(change)
        for change in edits:
            self.texts[change.file] = change.after
        return edits

    def _edits(self, item: Wanted) -> list[Edit]:
        if item.action == "add":
            return [self._added(item, item.target, item.after)]
        there = self.current(item.target)
        if there.data is None:
            raise Conflict(f"{item.target} is not there", remedy="the next run looks at it anew")
        if item.action == "revise":
            return [self._edit(item.target, edit.revised(there.text, item.before, item.after))]
        source = self._edit(item.target, edit.dropped(there.text, item.before))
        if item.action == "drop":
            return [source]
        start, end = edit.found(there.text, item.before)
        piece = there.text[start:end]
        try:
            return [source, self._added(item, str(item.detail["to"]), piece)]
        except AlreadyThere:  # it stands in both: taking it out of one loses nothing
            return [source]

    def _added(self, item: Wanted, file: str, point: str) -> Edit:
        there = self.current(file)
        heading = str(item.detail.get("heading", ""))
        if there.data is None:
            self._refuse_look_alike(file)
            plain = file == self.settings.always_loaded
            body = f"## {heading}\n\n{point}" if heading else point
            text = body if plain else new_note.rendered(file, body, item, self.moment)
            return Edit(file, MISSING, Snapshot.of(text.rstrip("\r\n") + "\n"))
        if stands_in(there.text, file, point):
            raise AlreadyThere(f"{file} says it already")
        return self._edit(file, edit.added(there.text, point, heading))

    def _edit(self, file: str, text: str) -> Edit:
        return Edit(file, self.current(file), Snapshot.of(edit.stamped(text, self.moment)))

    def _check_cap(self, change: Edit) -> None:
        """The always-loaded file may not grow above its cap."""
        cap, size = self.settings.always_loaded_cap, len(change.after.text)
        capped = change.file == self.settings.always_loaded
        if capped and size > cap and size > len(change.before.text):
            raise OverCap(
                f"{change.file} would be {size:,} characters, the cap is {cap:,}",
                remedy="drop or move something out of it first",
            )

    def _refuse_look_alike(self, file: str) -> None:
        folder = (self.root / file).parent
        names = (path.name for path in folder.iterdir()) if folder.is_dir() else ()
        for name in names:
            if name.casefold() == Path(file).name.casefold():
                raise Conflict(f"{file} differs from {name} in upper and lower case alone")


def lay_all(desk: Desk, items: Sequence[T]) -> list[tuple[T, list[Edit] | Conflict]]:
    """Lay items on in order; one that bursts the cap is tried again when the rest is on."""
    done: list[tuple[T, list[Edit] | Conflict]] = []
    late: list[T] = []
    for last, batch in ((False, items), (True, late)):
        for item in list(batch):
            try:
                done.append((item, desk.lay(item)))
            except OverCap as refused:
                if last:
                    done.append((item, refused))
                else:
                    late.append(item)
            except (Conflict, BadInput, VaultError) as refused:
                done.append((item, _as_conflict(refused)))
    return done


def _as_conflict(error: Permanent) -> Conflict:
    return error if isinstance(error, Conflict) else Conflict(error.message, remedy=error.remedy)


def stands_in(text: str, file: str, point: str) -> bool:
    """Whether a point of the note says the same words already."""
    wanted = _plain(point)
    return any(_plain(known.text) == wanted for known in parse(text, file).points)


def _plain(text: str) -> str:
    return fold(_MARK.sub("", one_line(clean(text))))
