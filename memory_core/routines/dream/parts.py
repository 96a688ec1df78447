"""The window in parts that a model can hold: every exchange, as short as the budget asks for.

All exchanges are shown at one of a few lengths, the longest that fits. A window that does
not fit at the shortest is refused before anything is sent: none is read in part only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_core.errors import OverBudget
from memory_core.routines.pieces import Piece, cut, weight

_WORDS = (1600, 800, 400, 200, 100)  # characters of one person's text; others get a share of it
_CALLS = (40, 24, 16, 10, 6)  # tool calls of one exchange that are shown


@dataclass(frozen=True, slots=True)
class Part:
    """Pieces of whole exchanges, and their text for the model."""

    pieces: tuple[Piece, ...]
    text: str


def parts(found: Sequence[Piece], room: int, most: int) -> list[Part]:
    """The pieces in parts of about `room` tokens, `most` in all.

    Raises `OverBudget` when they take more than `most` tokens however short they are shown.
    """
    exchanges = _by_exchange(found)
    size = 0
    for words, calls in zip(_WORDS, _CALLS, strict=True):
        texts = [_text(exchange, words, calls) for exchange in exchanges]
        size = sum(map(weight, texts))
        if size <= most:
            return _packed(exchanges, texts, room)
    raise OverBudget(
        f"{len(exchanges)} exchanges take {size:,} tokens at their shortest,"
        f" a run has {most:,} for them",
        remedy="raise llm_tokens_a_run, or run dream with a limit of exchanges",
    )


def _packed(exchanges: Sequence[list[Piece]], texts: Sequence[str], room: int) -> list[Part]:
    made: list[Part] = []
    held: list[tuple[list[Piece], str]] = []
    size = 0
    for exchange, text in zip(exchanges, texts, strict=True):
        if held and size + weight(text) > room:
            made.append(_joined(held))
            held, size = [], 0
        held.append((exchange, text))
        size += weight(text)
    return [*made, _joined(held)] if held else made


def _joined(held: Sequence[tuple[list[Piece], str]]) -> Part:
    pieces = tuple(piece for exchange, _ in held for piece in exchange)
    return Part(pieces, "\n\n".join(text for _, text in held))


def _text(exchange: Sequence[Piece], words: int, calls: int) -> str:
    first = exchange[0].exchange
    lines = [f"session {first.session[:8]}, turn {first.turn}, {first.at:%Y-%m-%d}"]
    called = [piece for piece in exchange if piece.span.name]
    left_out = {piece.number for piece in called[calls // 2 : len(called) - (calls + 1) // 2]}
    for piece in exchange:
        if piece.number not in left_out:
            lines.append(_shown(piece, words))
    if left_out:
        lines.append(f"({len(left_out)} more tool calls)")
    return "\n".join(lines)


def _shown(piece: Piece, words: int) -> str:
    span = piece.span
    if not span.name:
        most = words if span.source == "user" else words * 2 // 3
        return f"[{piece.number}] {span.source}: {cut(span.text, most)}"
    state = " (failed)" if span.failed else ""
    given = cut(span.input, words // 2)
    output = cut(span.output, words // 2 if span.failed else words // 4)
    return f"[{piece.number}] {span.source} {span.name}{state}: {given}\n-> {output or '(none)'}"


def _by_exchange(found: Sequence[Piece]) -> list[list[Piece]]:
    groups: dict[int, list[Piece]] = {}
    for piece in found:
        groups.setdefault(id(piece.exchange), []).append(piece)
    return list(groups.values())
