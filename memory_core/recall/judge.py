"""The judge: one raw score from the cross-encoder's logit and the legs' own values.

A linear model fitted on held-out training data. Its score orders the pool, and the
floor acts on it. `id` names everything that makes a score, so that a floor measured
with one judge is never used with another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory_core.recall import shipped
from memory_core.recall.words import Hit

WORDS_ONLY = "words-only@1"
BACKGROUND = 10  # the source whose BM25 value counts as what any note would have


@dataclass(frozen=True, slots=True)
class Features:
    """What is known of one passage.

    The logit, the cosine (-1..1), the BM25 value (0 and up), and by how much that value
    stands above the background of the request: where no note holds a request's words
    all values are alike, and none of them means anything.
    """

    logit: float
    cosine: float
    words: float
    distinct: float = 0.0


def background(hits: Sequence[Hit]) -> float:
    """The BM25 value of the tenth source, best first; 0 where fewer were found."""
    best: dict[str, float] = {}
    for hit in hits:
        best[hit.place.source] = max(hit.value, best.get(hit.place.source, 0.0))
    values = sorted(best.values(), reverse=True)
    return values[BACKGROUND - 1] if len(values) >= BACKGROUND else 0.0


def from_words(values: Sequence[float], behind: float) -> list[Features]:
    """What the word leg alone knows of passages, over the background `behind`."""
    return [Features(0.0, 0.0, value, max(0.0, value - behind)) for value in values]


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

    def blind(self, features: Sequence[Features]) -> list[float]:
        """Scores by words alone, for a request that the models cannot read.

        The logit and the cosine are taken to be those of the best wrong passage, so
        that words alone must lift a note over the floor.
        """
        return [self._one(replace(each, **self._absent)) for each in features]

    def _one(self, features: Features) -> float:
        values: dict[str, float] = {name: getattr(features, name) for name in self._weights}
        return sum((self._weights[name] * values[name] for name in values), self._intercept)
