"""A passage: the piece of a note or memory that is indexed and re-ranked."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Passage:
    """Neighbouring points of one source under its description.

    `source` is a note's file or `memory:<key>`; `first` and `last` are the indices of
    its points, both included. Both legs and the re-ranker read `text`.
    """

    source: str
    head: str
    body: str
    first: int = 0
    last: int = 0
    tags: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Head and body, as the models read them."""
        return f"{self.head}\n{self.body}" if self.head else self.body
