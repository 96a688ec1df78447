"""The run-time legs over training corpora, in batches: words, meaning, pool and logits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from memory_core.recall.condense import condense
from memory_core.recall.judge import background
from memory_core.recall.pool import union
from memory_core.recall.source import NOTES_ONLY, Place, Source
from memory_core.recall.words import Hit, Words
from memory_core.vault.passages import Passage as Indexed
from training.data import Note
from training.network import Tokens, embed, score

POOL, PER_SOURCE, REACH = 24, 2, 60
PAIR_LIMITS = (80, 110)


@dataclass
class Pool:
    """The candidates of one request and what each stage says of them."""

    request: str
    places: list[Place]
    words: np.ndarray
    cosine: np.ndarray
    by_words: list[Hit] = field(repr=False)
    by_meaning: list[Hit] = field(repr=False)
    logit: np.ndarray = field(default_factory=lambda: np.zeros(0))

    @property
    def distinct(self) -> np.ndarray:
        """BM25 above the background of the request, as the run time has it."""
        return np.maximum(0.0, self.words - background(self.by_words))


class Corpus:
    """Sources indexed for both legs."""

    def __init__(self, sources: Sequence[Source], embedder: torch.nn.Module) -> None:
        self.words, self.tokens, self.embedder = Words(), Tokens(), embedder
        self.words.update(sources)
        pairs = [(Place(s.id, i), p.text) for s in sources for i, p in enumerate(s.passages)]
        self.places = [place for place, _ in pairs]
        self.texts = dict(pairs)
        self.vectors = vectors(embedder, self.tokens, [text for _, text in pairs], 128)

    def short(self, request: str) -> str:
        """The request as the models read it."""
        return condense(request, self.words.rarity)

    def pools(self, requests: Sequence[str], size: int = POOL) -> list[Pool]:
        """Run both legs."""
        asked = vectors(self.embedder, self.tokens, [self.short(r) for r in requests], 128)
        cosines = (asked @ self.vectors.T).numpy()
        return [self._pool(r, c, size) for r, c in zip(requests, cosines, strict=True)]

    def _pool(self, request: str, cosines: np.ndarray, size: int) -> Pool:
        by_words = self.words.search(request, NOTES_ONLY, REACH)
        nearest = np.argsort(-cosines, kind="stable")[:REACH]
        by_meaning = [Hit(self.places[i], float(cosines[i])) for i in nearest]
        places = union(by_words, by_meaning, size=size, per_source=PER_SOURCE)
        values = {hit.place: hit.value for hit in by_words}
        known = dict(zip(self.places, cosines, strict=True))
        words = np.array([values.get(place, 0.0) for place in places])
        cosine = np.array([known[place] for place in places])
        return Pool(request, places, words, cosine, by_words, by_meaning)

    @torch.no_grad()
    def judge(self, reranker: torch.nn.Module, pools: Sequence[Pool]) -> None:
        """Let the cross-encoder read every candidate."""
        reranker.eval()
        for start in range(0, len(pools), 20):
            part = pools[start : start + 20]
            pairs = [
                (self.short(pool.request), self.texts[at]) for pool in part for at in pool.places
            ]
            encoded = [self.tokens.pair(*pair, PAIR_LIMITS) for pair in pairs]
            logits = score(reranker, encoded).cpu().numpy() if encoded else np.zeros(0)
            for pool in part:
                pool.logit, logits = logits[: len(pool.places)], logits[len(pool.places) :]


def source_of(note: Note) -> Source:
    """An authored note as the run-time indexes it."""
    passages = [
        Indexed(note.key, note.head, text, min(points), max(points))
        for text, points in ((_body(note, p.text), p.points) for p in note.single())
    ]
    key = note.key.split("/", 1)[1]
    return Source(note.key, note.key, tuple(passages), (), description=note.head, keys=(key,))


def _body(note: Note, text: str) -> str:
    return text[len(note.head) + 1 :] if note.head else text


@torch.no_grad()
def vectors(
    model: torch.nn.Module, tokens: Tokens, texts: Sequence[str], limit: int
) -> torch.Tensor:
    """Embed texts without learning."""
    model.eval()
    tokens.learn(texts)
    rows = [tokens.one(text, limit) for text in texts]
    parts = [embed(model, rows[i : i + 256]) for i in range(0, len(rows), 256)]
    return torch.cat(parts).cpu() if parts else torch.zeros(0, 384)
