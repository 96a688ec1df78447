"""Observations: what parts of a window showed, and what rules found, each with its pieces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memory_core.proposals.item import Evidence, Item
from memory_core.routines.dream.reply import Noted
from memory_core.routines.pieces import Piece, weight
from memory_core.text import clean, one_line
from memory_core.vault.note import shortened

CITED = 6  # pieces of one observation
_QUOTES = 3  # shown of one observation
_WRITES = 700  # characters of a finding's text that are shown

Turns = dict[tuple[str, int], list[Piece]]


@dataclass(frozen=True, slots=True)
class Observation:
    """`item` is what rules would write, None where the model noted it."""

    kind: str
    says: str
    pieces: tuple[Piece, ...]
    file: str = ""
    point: int | None = None
    item: Item | None = None

    @property
    def at(self) -> str:
        """When the last of it was said; "" without evidence."""
        return max((piece.exchange.at.isoformat() for piece in self.pieces), default="")

    def shown(self, number: int) -> str:
        """As the model reads it."""
        about = f", about {self.file}" if self.file else ""
        about += f" ({self.point})" if self.point else ""
        mark = "found, " if self.item else ""
        lines = [f"({number}) {mark}{self.kind}{about}: {self.says}"]
        if self.item:
            lines.append(f"  would write: {shortened(one_line(self.item.after), _WRITES)}")
        return "\n".join([*lines, *self._quotes()])

    def _quotes(self) -> Iterable[str]:
        for piece in self.pieces[-_QUOTES:]:
            said = piece.evidence(self.says)
            where = f"{said.source}, session {said.session[:8]}, turn {said.turn}"
            yield f"  {piece.exchange.at:%Y-%m-%d} {where}: {said.quote}"


def noted(one: Noted, part: Sequence[Piece]) -> Observation | None:
    """The observation of a part; None when it cites no piece of it."""
    numbers = set(one.cites[:CITED])
    cited = tuple(piece for piece in part if piece.number in numbers)
    says = one_line(clean(one.says))
    return Observation(one.kind, says, cited, one.file or "", one.point) if cited else None


def found(item: Item, turns: Turns) -> Observation:
    """A finding of the rules with the pieces that its evidence quotes."""
    kind = "procedure" if item.action == "add" else "contradiction"
    held = {piece.number: piece for one in item.evidence for piece in _quoted(one, turns)}
    return Observation(kind, item.title, tuple(held.values()), item.target, item=item)


def turns_of(pieces: Iterable[Piece]) -> Turns:
    """The pieces by session and turn."""
    turns: Turns = {}
    for piece in pieces:
        turns.setdefault((piece.exchange.session, piece.exchange.turn), []).append(piece)
    return turns


def fitting(observed: Sequence[Observation], room: int) -> list[Observation]:
    """Those that fit `room` tokens, findings of the rules first, in order of time."""
    kept: list[Observation] = []
    for one in sorted(observed, key=lambda one: one.item is None):
        room -= weight(one.shown(len(observed)))
        if room < 0 and kept:
            break
        kept.append(one)
    return sorted(kept, key=lambda one: one.at)


def _quoted(quoted: Evidence, turns: Turns) -> list[Piece]:
    """The piece of a quote's turn that holds it; else the first of its speaker."""
    turn = turns.get((quoted.session, quoted.turn), [])
    quote = one_line(quoted.quote)
    exact = [one for one in turn if quote and quote in one_line(clean(one.whole))]
    return exact[:1] or [one for one in turn if one.span.source == quoted.source][:1]
