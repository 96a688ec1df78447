"""A desk: files of the vault with an item's changes laid on, before anything is written.

Items of one file compose in the order they are laid on. An item that does not fit
raises `Conflict` and leaves the desk as it was.
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as made
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol, TypeVar

from memory_core.errors import BadInput, Conflict, Permanent, VaultError
from memory_core.proposals import edit, field, link, new_note, question_lines
from memory_core.proposals.snapshot import MISSING, Snapshot, read
from memory_core.settings import Settings
from memory_core.store.tables import now
from memory_core.text import clean, fold, one_line
from memory_core.vault import front_matter
from memory_core.vault.note import parse
from memory_core.vault.question import WORKING_SET

_MARK = re.compile(r"^(?:[-*+]|\d{1,9}[.)])\s+")


class Wanted(Protocol):
    """What the desk reads of an item, stored or not."""

    @property
    def action(self) -> str: ...
    @property
    def kind(self) -> str: ...
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
    moment: datetime = made(default_factory=now)
    originals: dict[str, Snapshot] = made(default_factory=dict)
    texts: dict[str, Snapshot] = made(default_factory=dict)

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
        """Lay an item on and return its edits: the target's, a move's second note's, the set's.

        Raises `Conflict` where it does not fit, `AlreadyThere` where nothing is to be done.
        """
        edits = self._edits(item)
        for change in edits:
            self._check_cap(change)
        for change in edits:
            self.texts[change.file] = change.after
        return edits

    def _edits(self, item: Wanted) -> list[Edit]:
        if item.kind == "question":
            return [self._question(item)]
        if WORKING_SET in (item.target, item.detail.get("to")):
            raise BadInput(f"{WORKING_SET} holds questions, no {item.kind}")
        if item.action == "add" and "field" not in item.detail:
            return [self._added(item, item.target, item.after)]
        there = self.current(item.target)
        if there.data is None:
            raise Conflict(f"{item.target} is not there", remedy="the next run looks at it anew")
        if item.action == "move":
            return self._moved(item, there)
        return [self._changed(item, there.text)]

    def _changed(self, item: Wanted, text: str) -> Edit:
        """What happens within one file that is there; its date moves with what it says alone."""
        if name := item.detail.get("field"):
            return self._kept(item.target, field.changed(text, name, item.before, item.after))
        if ends := item.detail.get("link"):
            return self._kept(item.target, link.replaced(text, ends["from"], ends["to"]))
        if item.action == "drop":
            return self._edit(item.target, edit.dropped(text, item.before))
        return self._edit(item.target, edit.revised(text, item.before, item.after))

    def _moved(self, item: Wanted, there: Snapshot) -> list[Edit]:
        start, end = edit.found(there.text, item.before)
        piece, to = there.text[start:end], str(item.detail["to"])
        left = edit.dropped(there.text, item.before)
        if item.detail.get("title"):
            edits = [self._kept(item.target, left), self._split_off(item, to, piece, left)]
        else:
            edits = [self._edit(item.target, left)]
            with contextlib.suppress(AlreadyThere):  # taking it out of one of both loses nothing
                edits.append(self._added(item, to, piece))
        arrived = edits[1].after if len(edits) > 1 else self.current(to)
        return edits + self._followed(item.target, to, left, arrived.text)

    def _split_off(self, item: Wanted, to: str, piece: str, left: str) -> Edit:
        """The new note of a split, which has every point that the old one has not any more."""
        if self.current(to).data is not None:
            raise Conflict(f"{to} is there meanwhile", remedy="the next run looks at it anew")
        self._refuse_look_alike(to)
        was = self.current(item.target).text
        text = new_note.split_off(to, piece, item, was)
        before, *after = (_points(each) for each in (was, left, text))
        if front_matter.read(piece).end > 1 or not before <= Counter(after[0]) + after[1]:
            raise Conflict(f"what moves to {to} is no whole of points", current=was)
        return Edit(to, MISSING, Snapshot.of(text))

    def _followed(self, file: str, to: str, left: str, arrived: str) -> list[Edit]:
        """Questions of the working set go where their answering point goes."""
        try:
            there = self.current(WORKING_SET)
        except (BadInput, VaultError):  # a set that nobody can change has to stay as it is
            return []
        text, moved = question_lines.followed(there.text, file, to, left, arrived)
        return [self._kept(WORKING_SET, text)] if moved else []

    def _question(self, item: Wanted) -> Edit:
        """A line of the working set; what answers it has to stand in its note."""
        if item.target != WORKING_SET:
            raise BadInput(f"{item.target} is not the working set")
        there = self.current(WORKING_SET)
        if item.action == "drop":
            return self._kept(WORKING_SET, question_lines.dropped(there.text, item.before))
        self._check_answer(item)
        if item.action == "revise":
            text = question_lines.revised(there.text, item.before, item.after)
            return self._kept(WORKING_SET, text)
        if question_lines.stands_in(there.text, item.after):
            raise AlreadyThere("the working set asks it already")
        return self._kept(WORKING_SET, question_lines.added(there.text, item.after))

    def _check_answer(self, item: Wanted) -> None:
        fresh = question_lines.checked(item.after)
        if fresh.note is None:
            return
        if item.action == "revise":
            known = question_lines.checked(item.before)
            if (known.note, known.answer_point) == (fresh.note, fresh.answer_point):
                return
        note = Snapshot(None) if fresh.note == WORKING_SET else self.current(fresh.note)
        if note.data is None:
            raise Conflict(f"{fresh.note}, which answers it, is not there")
        if one_line(fresh.answer_point or "") not in one_line(note.text):
            raise Conflict(f"what answers it does not stand in {fresh.note}")

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

    def _kept(self, file: str, text: str) -> Edit:
        """A change of what is written about a note, or of where it is: its date stays."""
        return Edit(file, self.current(file), Snapshot.of(text))

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


def _points(text: str) -> Counter[str]:
    """The points of a note's body, each with how often it stands there."""
    return Counter(point.text for point in parse(text, "").points)


def _as_conflict(error: Permanent) -> Conflict:
    return error if isinstance(error, Conflict) else Conflict(error.message, remedy=error.remedy)


def stands_in(text: str, file: str, point: str) -> bool:
    """Whether a point of the note says the same words already."""
    wanted = _plain(point)
    return any(_plain(known.text) == wanted for known in parse(text, file).points)


def _plain(text: str) -> str:
    return fold(_MARK.sub("", one_line(clean(text))))
