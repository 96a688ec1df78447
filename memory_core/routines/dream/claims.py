"""From a model's claims to findings that hold: cited, counted, grounded, harmless, new.

Citations are made here, from the observations that a claim names; the model writes none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from memory_core.proposals.item import Item
from memory_core.routines.dream.observations import Observation
from memory_core.routines.dream.reply import Claim
from memory_core.routines.dream.uses import IDLE
from memory_core.routines.findings import NEARBY, UNCITED, Finding, Sieve
from memory_core.routines.pieces import Piece
from memory_core.routines.wrap_reply import Fact
from memory_core.vault.note import Note

TIMES = 4  # separate uses that make a procedure
NOTELESS = "contradicted no note"
TOO_FEW = f"told of procedures that were used fewer than {TIMES} times"


def proved(
    claims: Iterable[Claim],
    observed: Sequence[Observation],
    pieces: Sequence[Piece],
    notes: Sequence[Note],
    files: Collection[str],
    sieve: Sieve,
) -> list[tuple[Finding, list[Item]]]:
    """The claims that hold, each with the findings of rules that it stands for.

    `observed` are those the model was shown, its numbers begin at 1, and so are `notes`;
    `files` are those of all notes. What is left out is counted in `sieve`.
    """
    kept = []
    for claim in claims:
        named = [observed[number - 1] for number in claim.observations
                 if 1 <= number <= len(observed)]  # fmt: skip
        cited = _cited(named)
        if not cited:
            sieve.left_out[UNCITED] += 1
        elif claim.kind == "procedure" and len(_uses(cited)) < TIMES:
            sieve.left_out[TOO_FEW] += 1
        elif claim.kind == "contradiction" and claim.goes_to not in files:
            sieve.left_out[NOTELESS] += 1
        else:
            near = _near(cited, pieces)
            for finding in sieve.proved([_fact(claim, cited)], near, notes):
                kept.append((finding, [one.item for one in named if one.item]))
    return kept


def _fact(claim: Claim, cited: Sequence[Piece]) -> Fact:
    return Fact(
        statement=claim.statement, cites=[piece.number for piece in cited],
        goes_to=claim.goes_to, replaces=claim.replaces, note=claim.note,
        description=claim.description, worth=claim.worth,
    )  # fmt: skip


def _cited(named: Iterable[Observation]) -> list[Piece]:
    """Every piece once; the first of each use before the others."""
    pieces = {piece.number: piece for one in named for piece in one.pieces}
    first = {use[0].number: use[0] for use in _uses(pieces.values())}
    return list((first | pieces).values())


def _uses(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """Pieces by separate use: another session, or the same one after it lay idle."""
    made: list[list[Piece]] = []
    ordered = sorted(pieces, key=lambda one: (one.exchange.session, one.exchange.at, one.number))
    for piece in ordered:
        last = made[-1][-1].exchange if made else None
        if (
            last
            and last.session == piece.exchange.session
            and piece.exchange.at - last.until <= IDLE
        ):
            made[-1].append(piece)
        else:
            made.append([piece])
    return made


def _near(cited: Sequence[Piece], pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces around those that are cited; pieces are numbered from 1 in their order."""
    wanted = {
        number
        for piece in cited
        for number in range(piece.number - NEARBY, piece.number + NEARBY + 1)
    }
    return [pieces[number - 1] for number in sorted(wanted) if 1 <= number <= len(pieces)]
