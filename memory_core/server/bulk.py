"""Vectors and scores for many texts: small jobs, each queued when the one before is taken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from functools import partial

from memory_core.errors import RecallUnavailable
from memory_core.recall.meaning import Embedder
from memory_core.recall.recall import Models
from memory_core.recall.rerank import Reranker
from memory_core.server.jobs import Urgency, Worker

BATCH = 8  # passages a waiting person waits for at most


def embed(
    worker: Worker, models: Models, texts: Sequence[str]
) -> Iterator[Future[list[list[float]]]]:
    """Vectors of the texts in their order; raises `RecallUnavailable` without an embedder."""
    if not models.embedder:
        raise RecallUnavailable(models.problem)
    for some in _batches(texts):
        yield worker.submit(Urgency.BULK, partial(_vectors, models.embedder, some))


def rerank(
    worker: Worker, models: Models, query: str, passages: Sequence[str]
) -> Iterator[Future[list[float]]]:
    """Scores of the passages in their order; raises `RecallUnavailable` without a re-ranker."""
    if not models.reranker:
        raise RecallUnavailable(models.problem)
    for some in _batches(passages):
        yield worker.submit(Urgency.BULK, partial(models.reranker.score, query, some))


def read(
    worker: Worker, models: Models, groups: Sequence[tuple[str, Sequence[str]]]
) -> Iterator[Future[list[list[float]]]]:
    """Scores group by group; raises `RecallUnavailable` without a re-ranker.

    A group is a query with up to `reading.GROUP` passages, read in one go as a recall reads
    them: an int8 model's score of a pair moves a little with the company it is read in.
    """
    if not models.reranker:
        raise RecallUnavailable(models.problem)
    for query, passages in groups:
        yield worker.submit(Urgency.BULK, partial(_scores, models.reranker, query, passages))


def _scores(reranker: Reranker, query: str, passages: Sequence[str]) -> list[list[float]]:
    return [reranker.score(query, passages)]


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    for at in range(0, len(texts), BATCH):
        yield list(texts[at : at + BATCH])


def _vectors(embedder: Embedder, texts: list[str]) -> list[list[float]]:
    vectors: list[list[float]] = embedder.embed(texts).tolist()
    return vectors
