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
from memory_core.recall.source import NOTES_ONLY, Place
from memory_core.recall.words import Words
from training.data import Note, Passage, Request
from training.legs import source_of, vectors
from training.network import Tokens

NEAR, BY_WORDS = 14, 6


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
    """Both legs over all passages: packed ones by words, packed and single ones by meaning."""

    def __init__(self, notes: list[Note], embedder: torch.nn.Module, seed: int = 7) -> None:
        self.embedder, self.tokens, self.rng = embedder, Tokens(), random.Random(seed)
        self.words = Words()
        self.words.update([source_of(note) for note in notes])
        merged = {note.key: note.merged() for note in notes}
        self.packed = {Place(k, i): p for k, found in merged.items() for i, p in enumerate(found)}
        every = [p for note in notes for p in [*merged[note.key], *note.single()]]
        self.passages = list({p.text: p for p in every}.values())
        texts = [passage.text for passage in self.passages]
        self.vectors = vectors(embedder, self.tokens, texts, 96)

    def mine(self, notes: list[Note]) -> Iterator[Mined]:
        """Yield every request of the notes with its look-alikes."""
        asks = [(note, request) for note in notes for request in note.requests]
        short = [condense(request.text, self.words.rarity) for _, request in asks]
        asked = vectors(self.embedder, self.tokens, short, 64)
        for start in range(0, len(asks), 500):
            cosines = (asked[start : start + 500] @ self.vectors.T).numpy()
            for at, cosine in enumerate(cosines, start):
                yield self._mined(*asks[at], short[at], cosine)

    def _mined(self, note: Note, request: Request, short: str, cosine: np.ndarray) -> Mined:
        nearest = [self.passages[i] for i in np.argsort(-cosine)[: 2 * NEAR]]
        hits = self.words.search(request.text, NOTES_ONLY, 2 * BY_WORDS)
        found = [self.packed[hit.place] for hit in hits]
        near = _wrong(nearest, note, request)[:NEAR] + _wrong(found, note, request)[:BY_WORDS]
        own = [*note.merged(), *note.single()]
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
