"""Vectors of texts, each text asked for once, in batches that do not hold up a request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from memory_core.errors import RecallUnavailable
from memory_core.routines.place import Ask

BATCH = 64  # texts a request
Vector = npt.NDArray[np.float32]


class Vectors:
    """Unit vectors by text; `problem` says why there are none, where recall has no embedder."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._known: dict[str, Vector] = {}
        self.problem = ""

    def learn(self, texts: Iterable[str]) -> None:
        """Ask for the texts that are not known; raises what `ask` does but `RecallUnavailable`."""
        if self.problem:
            return
        try:
            self._learn([text for text in dict.fromkeys(texts) if text not in self._known])
        except RecallUnavailable as error:
            self.problem = error.message

    def _learn(self, new: list[str]) -> None:
        for at in range(0, len(new), BATCH):
            some = new[at : at + BATCH]
            answer = self._ask("embed", {"texts": some})
            vectors = np.asarray(answer["vectors"], np.float32)
            self._known.update(zip(some, vectors, strict=True))

    def cosine(self, one: str, other: str) -> float:
        """The cosine of two texts; 0.0 without vectors."""
        self.learn((one, other))
        if self.problem:
            return 0.0
        return float(self._known[one] @ self._known[other])

    def matrix(self, texts: Sequence[str]) -> Vector | None:
        """One row a text; None without vectors."""
        self.learn(texts)
        return None if self.problem else np.stack([self._known[text] for text in texts])
