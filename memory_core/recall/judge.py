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
        self._absent = {"logit": 0.0, "cosine": 0.0, **document.get("absent", {})}
        self.id = f"{embedder}+{reranker}+judge@{document['revision']}"

    def score(self, features: Sequence[Features]) -> list[float]:
        """One score a passage, in order."""
        return [self._one(each) for each in features]

    def by_words(self, values: Sequence[float]) -> list[float]:
        """Scores from BM25 values alone, for a request that the models cannot read.

        The logit and the cosine are taken to be those of the best wrong passage, so
        that words alone must lift a note over the floor.
        """
        return [self._one(Features(**self._absent, words=value)) for value in values]

    def _one(self, features: Features) -> float:
        values: dict[str, float] = {name: getattr(features, name) for name in self._weights}
        return sum((self._weights[name] * values[name] for name in values), self._intercept)
