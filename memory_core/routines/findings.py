"""From a model's facts to findings that hold: proved, grounded, harmless, and new.

Whatever is left out is counted by its reason; nothing is repaired.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from memory_core.redaction import MARKER, kinds
from memory_core.routines import orders, pieces, repetition
from memory_core.routines.grounding import ungrounded
from memory_core.routines.pieces import Piece
from memory_core.routines.wrap_reply import Fact
from memory_core.text import clean, one_line
from memory_core.vault.note import Note, Point

UNCITED = "cited nothing that is there"
UNGROUNDED = "named what the record does not"
ORDERED = "told the agent what only an output or a page asks for"
SECRET = "held a secret"
KNOWN = "stood in a note already"
TWICE = "were said twice"
WITHDRAWN = "were taken back later"

CITED = 6  # pieces that one fact may cite
NEARBY = 8  # pieces

_BLOCKS = ("```", "~~~", "|", "<")  # code, tables and HTML are not replaced by a sentence


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """A fact with its pieces; `point` is the point of `note` that it replaces."""

    statement: str
    fact: Fact
    cited: tuple[Piece, ...]
    note: Note | None = None
    point: Point | None = None


@dataclass(slots=True)
class Sieve:
    """What was left out so far, by reason."""

    left_out: Counter[str] = field(default_factory=Counter)

    def proved(
        self, facts: Sequence[Fact], chunk: Sequence[Piece], notes: Sequence[Note]
    ) -> list[Finding]:
        """The facts whose evidence holds; `notes` are those that were shown with points."""
        found = []
        for fact in facts:
            finding = _finding(fact, chunk, notes)
            reason = _fault(finding, chunk)
            grounded = None if reason else _grounded(finding, chunk)
            if grounded:
                found.append(grounded)
            else:
                self.left_out[reason or UNGROUNDED] += 1
        return found

    def new(self, findings: Sequence[Finding], notes: Sequence[Note]) -> list[Finding]:
        """The findings that neither a point of the notes nor an earlier finding says."""
        points = [point.plain for note in notes for point in note.points]
        kept: list[Finding] = []
        for finding in findings:
            if repetition.repeats(finding.statement, points):
                self.left_out[KNOWN] += 1
            elif repetition.repeats(finding.statement, (other.statement for other in kept)):
                self.left_out[TWICE] += 1
            else:
                kept.append(finding)
        return kept

    @property
    def notice(self) -> str:
        """One line about all of it; empty when nothing was left out."""
        counts = [(count, reason) for reason, count in self.left_out.most_common() if count]
        told = ", ".join(f"{count} {reason}" for count, reason in counts)
        return f"facts of the model left out: {told}" if told else ""


def _finding(fact: Fact, chunk: Sequence[Piece], notes: Sequence[Note]) -> Finding:
    numbers = fact.cites[:CITED]
    cited = tuple(piece for piece in chunk if piece.number in numbers)
    note = next((note for note in notes if note.file == fact.goes_to), None)
    point = None
    if note and fact.replaces and 1 <= fact.replaces <= len(note.points):
        point = note.points[fact.replaces - 1]
        if point.text.lstrip().startswith(_BLOCKS):
            point = None
    return Finding(one_line(clean(fact.statement)), fact, cited, note, point)


def _fault(finding: Finding, chunk: Sequence[Piece]) -> str:
    """Why a finding does not hold; empty when it does."""
    statement, cited = finding.statement, finding.cited
    if not cited:
        return UNCITED
    if kinds(statement) or MARKER.search(statement):
        return SECRET
    if orders.is_order(statement, cited) or orders.is_planted(statement, cited, chunk):
        return ORDERED
    return ""


def _grounded(finding: Finding, chunk: Sequence[Piece]) -> Finding | None:
    """The finding with the pieces that hold what it names; None when nothing holds a name.

    A model cites where the outcome is told; the command or the file often stands a few
    pieces before. A bare number is looked for nearby alone, since it stands anywhere.
    """
    missing = _missing(finding, finding.cited)
    added: list[Piece] = []
    for piece in sorted(chunk, key=lambda one: _distance(one, finding.cited)):
        if not missing or piece.span.source == "web" or piece in finding.cited:
            continue
        far = _distance(piece, finding.cited) > NEARBY
        lacks = set(ungrounded(finding.statement, [piece.whole]))
        held = [name for name in missing if name not in lacks and not (far and _is_bare(name))]
        if held:
            added.append(piece)
            missing = [name for name in missing if name not in held]
    return None if missing else _described(replace(finding, cited=(*finding.cited, *added)))


def _described(finding: Finding) -> Finding:
    """The finding without a description that is no better grounded than a fact may be."""
    told = finding.fact.description or ""
    quotes = [finding.statement, *(piece.whole for piece in finding.cited)]
    if not kinds(told) and not ungrounded(told, quotes):
        return finding
    return replace(finding, fact=finding.fact.model_copy(update={"description": None}))


def _missing(finding: Finding, cited: Sequence[Piece]) -> list[str]:
    quotes = [piece.whole for piece in cited]
    quotes += {pieces.when(piece.exchange.at) for piece in cited}
    if finding.point:
        quotes.append(finding.point.text)
    return ungrounded(finding.statement, quotes)


def _distance(piece: Piece, cited: Sequence[Piece]) -> int:
    return min(abs(piece.number - other.number) for other in cited)


def _is_bare(name: str) -> bool:
    """Whether a name is a number with at most a letter or two."""
    return not any(len(run) > 2 for run in re.findall(r"[^\W\d_]+", name))
