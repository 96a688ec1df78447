"""Find look-alikes of every request: passages that a leg likes and that do not answer."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch

from memory_core.recall.condense import condense
from memory_core.recall.source import NOTES_ONLY
from memory_core.recall.words import Words
from training.data import Note, Passage, Request
from training.legs import source_of, vectors
from training.network import Tokens

NEAR, BY_WORDS, BESIDE = 12, 8, 6


@dataclass(frozen=True)
class Mined:
    """A request with the passages that answer it and those that only look so."""

    text: str
    kind: str
    field: str
    answers: list[str]
    same: list[str]
    near: list[str]


class Miner:
    """Look-alikes by words, of neighbouring notes and, with an embedder, by meaning."""

    def __init__(
        self, notes: list[Note], embedder: torch.nn.Module | None = None, seed: int = 7
    ) -> None:
        self.notes, self.embedder = notes, embedder
        self.tokens, self.rng = Tokens(), random.Random(seed)
        self.words = Words()
        self.words.update([source_of(note) for note in notes])
        self.packed = {note.key: note.single() for note in notes}
        self.passages = [p for note in notes for p in self.packed[note.key]]
        if embedder is not None:
            texts = [passage.text for passage in self.passages]
            self.vectors = vectors(embedder, self.tokens, texts, 96)

    def mine(self, notes: list[Note]) -> Iterator[Mined]:
        """Yield every request of the notes with its look-alikes."""
        for note in notes:
            beside = self._beside(note)
            shorts = [condense(request.text, self.words.rarity) for request in note.requests]
            nearest = self._nearest(shorts)
            for request, short, near in zip(note.requests, shorts, nearest, strict=True):
                yield self._mined(note, request, short, near, beside)

    def _beside(self, note: Note, reach: int = 3) -> list[Passage]:
        at = next(i for i, other in enumerate(self.notes) if other.key == note.key)
        around = self.notes[max(0, at - reach) : at + reach + 1]
        return [p for other in around if other is not note for p in self.packed[other.key]]

    def _nearest(self, shorts: list[str]) -> list[list[Passage]]:
        if self.embedder is None:
            return [[] for _ in shorts]
        cosines = (vectors(self.embedder, self.tokens, shorts, 64) @ self.vectors.T).numpy()
        return [[self.passages[i] for i in np.argsort(-row)[: NEAR + 4]] for row in cosines]

    def _mined(
        self,
        note: Note,
        request: Request,
        short: str,
        nearest: list[Passage],
        beside: list[Passage],
    ) -> Mined:
        hits = self.words.search(request.text, NOTES_ONLY, BY_WORDS + 4)
        found = [self.packed[hit.place.source][hit.place.ordinal] for hit in hits]
        near = _wrong(nearest, note, request)[:NEAR]
        near += _wrong(found, note, request)[:BY_WORDS]
        near += _wrong(self.rng.sample(beside, min(len(beside), BESIDE)), note, request)
        own = [*self.packed[note.key], *note.merged()]
        same = _wrong(own, note, request)
        self.rng.shuffle(same)
        answers = list(dict.fromkeys(p.text for p in own if p.answers(note.key, request)))
        near = list(dict.fromkeys(near))
        return Mined(short, request.kind, note.field, answers, same[:3], near)


def _wrong(passages: list[Passage], note: Note, request: Request) -> list[str]:
    return [p.text for p in passages if not p.answers(note.key, request)]


def write(rows: Iterator[Mined], path: Path) -> int:
    """Write mined requests as JSON Lines and return how many."""
    lines = [json.dumps(asdict(row), ensure_ascii=False) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(lines)


def read(path: Path) -> list[Mined]:
    """Read mined requests."""
    with path.open(encoding="utf-8") as lines:
        return [Mined(**json.loads(line)) for line in lines]
