"""Vectors of texts, each text asked for once, in batches that do not hold up a request."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from memory_core.routines.place import Ask

BATCH = 64  # texts a request
Vector = npt.NDArray[np.float32]


class Vectors:
    """Unit vectors by text."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._known: dict[str, Vector] = {}

    def learn(self, texts: Iterable[str]) -> None:
        """Ask for the texts that are not known; raises what `ask` raises."""
        new = [text for text in dict.fromkeys(texts) if text and text not in self._known]
        for at in range(0, len(new), BATCH):
            some = new[at : at + BATCH]
            answer = self._ask("embed", {"texts": some})
            vectors = np.asarray(answer["vectors"], np.float32)
            self._known.update(zip(some, vectors, strict=True))

    def cosine(self, one: str, other: str) -> float:
        """The cosine of two texts; 0.0 where one of them is empty."""
        if not one or not other:
            return 0.0
        self.learn((one, other))
        return float(self._known[one] @ self._known[other])

    def matrix(self, texts: Iterable[str]) -> Vector:
        """One row a text; the texts are not empty."""
        own = list(texts)
        self.learn(own)
        return np.stack([self._known[text] for text in own])
