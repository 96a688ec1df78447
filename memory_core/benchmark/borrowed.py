"""The warm server's models, borrowed: what was asked once is known, the rest is asked in bulk.

What is not known yet is noted as lacking; whoever asked fetches it and asks again. So
hundreds of questions cost a few large calls, which let people's requests go first.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from memory_core.benchmark.asking import Ask
from memory_core.errors import ModelError
from memory_core.store.logits import LogitCache, Pair
from memory_core.store.vectors import Vector, VectorCache, content_hash

TEXTS = 64  # of one call
GROUPS = 12  # of one call: queries with their passages; a busy machine reads them in half a minute
_PROBE = "memory"


class Lacking(Exception):
    """A vector is not known yet; it is noted, and there after a `fetch`."""


class BorrowedEmbedder:
    """Texts to unit vectors, as `recall.meaning.Embedder` gives them."""

    def __init__(self, ask: Ask, cache: Path | None) -> None:
        self._ask = ask
        answer = ask("embed", {"texts": [_PROBE]})
        self.model, self.width = str(answer["model"]), len(answer["vectors"][0])
        self._cache = VectorCache(cache, self.model, self.width) if cache else None
        self._known: dict[str, Vector] = {}
        self._reads: dict[str, bool] = {}
        self._lacking: dict[str, None] = {}
        self._unseen: dict[str, None] = {}  # of which nobody said whether the model reads them

    def reads(self, text: str) -> bool:
        """As `Embedder.reads`; raises `Lacking` for a text that is not known yet."""
        if text not in self._reads:
            self._unseen[text] = None
            raise Lacking
        return self._reads[text]

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float16]:
        """As `Embedder.embed`; raises `Lacking` for a text that is not known yet."""
        self.want(texts)
        if self._lacking:
            raise Lacking
        rows = [self._known[text] for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self.width), np.float16)

    def known(self, texts: Sequence[str]) -> npt.NDArray[np.float16]:
        """The same with what is lacking fetched; raises what the server's client raises."""
        self.want(texts)
        self.fetch()
        return self.embed(texts)

    def want(self, texts: Iterable[str]) -> None:
        """Note texts that will be asked for."""
        self._lacking.update((text, None) for text in texts if text not in self._known)

    def fetch(self) -> None:
        """Get what is lacking; raises what the server's client raises."""
        self._take_cached()
        while texts := list(islice({**self._unseen, **self._lacking}, TEXTS)):
            answer = self._ask("embed", {"texts": texts})
            same_model(self.model, answer)
            self._reads.update(zip(texts, answer["reads"], strict=True))
            vectors = [np.asarray(vector, np.float16) for vector in answer["vectors"]]
            made = dict(zip(texts, vectors, strict=True))
            if self._cache:
                self._cache.put((content_hash(text), vector) for text, vector in made.items())
            self._take(made)

    def _take_cached(self) -> None:
        if self._cache and self._lacking:
            hashes = {content_hash(text): text for text in self._lacking}
            found = self._cache.get(list(hashes))
            self._take({hashes[key]: vector for key, vector in found.items()})

    def _take(self, made: dict[str, Vector]) -> None:
        self._known.update(made)
        for text in made:
            self._lacking.pop(text, None)
            if text in self._reads:
                self._unseen.pop(text, None)


class BorrowedReranker:
    """Pairs to logits, as `recall.rerank.Reranker` gives them.

    `misses` counts the groups in which a pair was not known and scored zero.
    """

    def __init__(self, ask: Ask, cache: Path | None) -> None:
        self._ask = ask
        self.model = str(ask("read", {"groups": []})["model"])
        self._cache = LogitCache(cache, self.model) if cache else None
        self._known: dict[Pair, float] = {}
        self._lacking: dict[tuple[str, tuple[str, ...]], None] = {}
        self._read, self._took = 0, 0.0
        self.misses = 0

    def score(self, query: str, passages: Sequence[str]) -> list[float]:
        """As `Reranker.score`; zero for a pair that is not known yet."""
        unknown = tuple(text for text in passages if (query, text) not in self._known)
        if unknown:
            self._lacking[query, unknown] = None
            self.misses += 1
        return [self._known.get((query, text), 0.0) for text in passages]

    @property
    def ms(self) -> float | None:
        """Milliseconds that a pair took to read, the mean of all that were; None before."""
        return self._took * 1000 / self._read if self._read else None

    def fetch(self) -> None:
        """Get what is lacking, each group read at once; raises what the client raises."""
        self._take_cached()
        while groups := list(islice(self._lacking, GROUPS)):
            began = time.monotonic()
            asked = [{"query": query, "passages": list(texts)} for query, texts in groups]
            answer = self._ask("read", {"groups": asked})
            self._took += time.monotonic() - began
            same_model(self.model, answer)
            read: list[tuple[Pair, float]] = []
            for (query, texts), logits in zip(groups, answer["scores"], strict=True):
                pairs = ((query, text) for text in texts)
                read += zip(pairs, map(float, logits), strict=True)
            self._read += len(read)
            if self._cache:
                self._cache.put(read)
            self._known.update(read)
            for group in groups:
                del self._lacking[group]

    def _take_cached(self) -> None:
        if not self._cache or not self._lacking:
            return
        pairs = [(query, text) for query, texts in self._lacking for text in texts]
        self._known.update(self._cache.get(pairs))
        asked, self._lacking = self._lacking, {}
        for query, texts in asked:
            self.score(query, texts)


def same_model(model: str, answer: dict[str, Any]) -> None:
    """Raise `ModelError` for an answer of another model: its scores do not compare."""
    if answer["model"] != model:
        raise ModelError(
            f"the model was exchanged while memory was scored: {model}, then {answer['model']}",
            remedy="start the run again",
        )
