"""The judge: one raw score from the cross-encoder's logit and the legs' own values.

A linear model fitted on held-out training data. Its score orders the pool, and the
floor acts on it. `id` names everything that makes a score, so that a floor measured
with one judge is never used with another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_core.recall import shipped

WORDS_ONLY = "words-only@1"


@dataclass(frozen=True, slots=True)
class Features:
    """What is known of one passage: logit, cosine (-1..1), BM25 value (0 and up)."""

    logit: float
    cosine: float
    words: float


class Judge:
    """Weights over `Features`; the same input gives the same score to the bit."""

    def __init__(self, embedder: str, reranker: str) -> None:
        document = shipped.judge()
        self._weights: dict[str, float] = dict(
            zip(document["features"], document["weights"], strict=True)
        )
        self._intercept = float(document["intercept"])
        self.id = f"{embedder}+{reranker}+judge@{document['revision']}"

    def score(self, features: Sequence[Features]) -> list[float]:
        """One score a passage, in order."""
        return [self._one(each) for each in features]

    def _one(self, features: Features) -> float:
        values: dict[str, float] = {name: getattr(features, name) for name in self._weights}
        return sum((self._weights[name] * values[name] for name in values), self._intercept)
