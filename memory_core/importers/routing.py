"""From pieces to items: redacted, without what is known, within the caps, each in its place.

Nothing is cut: what is too long is split at its points, and what cannot be split is left out
and named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memory_core.banks.bank import BankId
from memory_core.banks.caps import Caps, as_json
from memory_core.banks.slug import slug
from memory_core.errors import BadInput
from memory_core.importers.blocks import bare, blocks
from memory_core.importers.instructions import RULES
from memory_core.importers.piece import Piece
from memory_core.proposals.edited import NOTE
from memory_core.proposals.item import Evidence, Item
from memory_core.proposals.screening import QUOTE
from memory_core.redaction import found, kinds, replaced
from memory_core.routines.place import Place
from memory_core.routines.repetition import Told
from memory_core.text import clean, fold, one_line
from memory_core.vault import front_matter
from memory_core.vault.note import parse, shortened

MOST = 300  # items one import looks at; what is behind them comes with the next
_TITLE, _DESCRIPTION, _KEY = 90, 160, 48  # characters
_ROOM = 400  # characters of a new note that its front matter may take


@dataclass(slots=True)
class Sorted:
    """Items in the order of the source, and what became of the rest.

    `secrets` counts what was taken out by kind; `known` and `left_out` are texts, the latter
    with the reason.
    """

    items: list[Item] = field(default_factory=list)
    secrets: Counter[str] = field(default_factory=Counter)
    known: list[str] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    later: int = 0


class Router:
    """Sorts the pieces of one import; `keys` are those of the user's global bank."""

    def __init__(self, place: Place, caps: Caps, keys: Mapping[str, str], told: Told) -> None:
        self._place, self._caps, self._told = place, caps, told
        self._keys = dict(keys)
        self._exact: set[str] = set()
        self._room = max(0, caps.soft - len(keys))
        self._always = place.room
        self.sorted = Sorted()

    def sort(self, pieces: Sequence[Piece]) -> Sorted:
        """The items of the pieces, those of one target together, best first by their order."""
        for piece in pieces:
            self._take(self._redacted(piece))
        order: dict[str, int] = {}
        for item in self.sorted.items:
            place = item.kind if item.kind == "memory" else item.target
            order.setdefault(place, len(order))
        self.sorted.items.sort(
            key=lambda item: order[item.kind if item.kind == "memory" else item.target]
        )
        self.sorted.later = max(0, len(self.sorted.items) - MOST)
        self.sorted.items = [
            replace(item, value=round(1 - number / 1000, 3))
            for number, item in enumerate(self.sorted.items[:MOST])
        ]
        return self.sorted

    def _take(self, piece: Piece) -> None:
        if piece.personal:
            for part in _fitting(piece, self._caps.content):
                self._remember(part)
        elif piece.whole:
            self._take_note(piece)
        else:
            self._add_to_note(piece)

    def _remember(self, piece: Piece) -> None:
        """A fact about the user becomes a memory of the global bank."""
        text = bare(piece.text) if "\n" not in piece.text.strip() else piece.text.strip()
        if not self._is_new(text) or self._is_too_long(text, self._caps.content):
            return
        if not self._room:
            self._leave(text, f"the global bank is at its soft limit ({self._caps.soft})")
            return
        self._room -= 1
        key = self._key(piece.key or text)
        self._keys[key] = text
        bank = BankId(self._place.user, None)
        told = _described(one_line(piece.description or text), self._caps.description)
        self._add(
            Item("add", "memory", f"{bank}:{key}", _title(text), after=text,
                 detail={"description": told, "refs": [], "tags": []}),
            piece,
        )  # fmt: skip

    def _add_to_note(self, piece: Piece) -> None:
        """A statement becomes the last point of its note, below its heading."""
        if not self._is_new(bare(piece.text)) or self._is_too_long(piece.text, NOTE - _ROOM):
            return
        file = piece.note or self._file_of_a_rule(piece)
        point = piece.text if _is_block(piece.text) else f"- {bare(piece.text)}"
        detail: dict[str, object] = {"description": shortened(piece.description, _DESCRIPTION)}
        if self._place.scope and file != self._place.always_loaded:
            detail["scope"] = [f"project:{self._place.scope}"]
        if piece.heading:
            detail["heading"] = piece.heading
        kind = "always-loaded" if file == self._place.always_loaded else "note"
        item = Item("add", kind, file, _title(point), after=point, detail=detail)  # type: ignore[arg-type]
        self._add(item, piece)

    def _file_of_a_rule(self, piece: Piece) -> str:
        """The always-loaded file while it has room, then a note."""
        need = len(piece.text) + len(piece.heading) + 8
        if need <= self._always:
            self._always -= need
            return self._place.always_loaded
        self._always = 0  # the rest stays together
        return RULES

    def _take_note(self, piece: Piece) -> None:
        """A note comes as it is; of one that is there already only what it does not say."""
        parts = blocks(piece.text)
        there = self._place.note(piece.note)
        new = [part for part in parts if not self._knows(bare(part.text))]
        if not new:
            self.sorted.known += [f"{piece.note} (the whole note)"]
        elif there is not None or len(piece.text) > NOTE - _ROOM:
            for part in parts:
                self._add_to_note(
                    replace(piece, text=part.text, line=part.line, heading=part.heading,
                            description=parse(piece.text, piece.note).description)
                )  # fmt: skip
        else:
            for part in parts:
                self._note_down(bare(part.text))
            told = parse(piece.text, piece.note).description or piece.note
            after = piece.text.strip("\n") + "\n"
            detail = {} if front_matter.read(after).end else {"description": told}
            title = shortened(told, _TITLE)
            self._add(Item("add", "note", piece.note, title, after=after, detail=detail), piece)

    def _add(self, item: Item, piece: Piece) -> None:
        quote = shortened(piece.text.strip(), QUOTE)
        evidence = Evidence(session=piece.file, turn=piece.line, source="file", quote=quote)
        self.sorted.items.append(replace(item, evidence=(evidence,)))

    def _redacted(self, piece: Piece) -> Piece:
        """The piece cleaned and without secrets, which are counted."""
        parts: dict[str, Any] = {}
        for name in ("text", "description", "heading", "key"):
            text = clean(getattr(piece, name))
            secrets = found(text)
            self.sorted.secrets.update(kind for _, _, kind in secrets)
            parts[name] = replaced(text, secrets) if secrets else text
        return replace(piece, **parts)

    def _is_new(self, text: str) -> bool:
        """Whether nothing says it yet; it is known from now on."""
        if not text.strip():
            return False
        if self._knows(text):
            self.sorted.known.append(shortened(one_line(text), _TITLE))
            return False
        self._note_down(text)
        return True

    def _knows(self, text: str) -> bool:
        return fold(one_line(text)) in self._exact or self._told.says(text)

    def _note_down(self, text: str) -> None:
        self._exact.add(fold(one_line(text)))

    def _is_too_long(self, text: str, cap: int) -> bool:
        if len(text) <= cap:
            return False
        self._leave(text, f"{len(text):,} characters in one piece, the cap is {cap:,}")
        return True

    def _leave(self, text: str, reason: str) -> None:
        self.sorted.left_out.append((shortened(one_line(text), _TITLE), reason))

    def _key(self, text: str) -> str:
        """A key that the bank does not hold, made of the first words."""
        try:
            stem = slug(" ".join(bare(text).split()[:7]))[:_KEY].strip("-")
        except BadInput:
            stem = "imported"
        stem = stem if not kinds(stem) else "imported"
        number, key = 1, stem
        while key in self._keys:
            number += 1
            key = f"{stem}-{number}"
        return key


def _fitting(piece: Piece, cap: int) -> Iterator[Piece]:
    """The piece, or where it is over the cap its statements, several together as they fit."""
    if len(piece.text) <= cap:
        yield piece
        return
    parts = [part.text for part in blocks(piece.text)] or [piece.text]
    if len(parts) == 1:
        parts = parts[0].splitlines()
    held = ""
    for part in parts:
        if held and len(held) + len(part) + 1 > cap:
            yield replace(piece, text=held, key="")
            held = ""
        held = f"{held}\n{part}" if held else part
    yield replace(piece, text=held, key="")


def _described(text: str, cap: int) -> str:
    """A description within its cap, which counts the text as JSON."""
    size = min(cap, _DESCRIPTION)
    while len(as_json(told := shortened(text, size))) - 2 > cap:
        size -= 10
    return told


def _title(text: str) -> str:
    return shortened(one_line(bare(text)), _TITLE)


def _is_block(text: str) -> bool:
    """Whether a statement keeps its form: several lines, a table, code, a quote."""
    return "\n" in text.strip() or text.lstrip()[:1] in ("`", "|", ">", "<", "#")
