"""How questions are asked: of a recall, or of the warm server's operations in this process.

Answers of the operations have the form that server/protocol.py gives them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from memory_core.benchmark import lost
from memory_core.benchmark.lost import Searched
from memory_core.benchmark.questions import Question
from memory_core.benchmark.score import Progress, Result
from memory_core.errors import BadInput, RecallUnavailable
from memory_core.recall.meaning import Embedder
from memory_core.recall.recall import Recall
from memory_core.recall.rerank import Reranker

Ask = Callable[[str, dict[str, Any]], dict[str, Any]]
Asker = Callable[[Sequence[Question], Progress], Sequence[Result]]
"""Questions to their results, in order, with `lost`; says how far it is."""


def asker(recall: Searched, floor: float | None) -> Asker:
    """Asks a recall one question after the other; what it returns raises as `score.run` does."""

    def ask(questions: Sequence[Question], progress: Progress) -> Sequence[Result]:
        return lost.scored(recall, questions, floor, progress)

    return ask


def in_process(recall: Recall, floor: float | None) -> Ask:
    """Ask a recall of this process; `floor` as in `Recall.recall`.

    What is returned raises `BadInput` for another operation than these, and
    `RecallUnavailable` without models.
    """

    def ask(operation: str, payload: dict[str, Any]) -> dict[str, Any]:
        if operation not in operations:
            raise BadInput(f"there is no operation {operation!r} in this process")
        return operations[operation](payload)

    def answered(payload: dict[str, Any]) -> dict[str, Any]:
        answer = recall.recall(payload["query"], floor=floor, limit=payload.get("limit"))
        return answer.as_json(explain=bool(payload.get("explain")))

    def embedded(payload: dict[str, Any]) -> dict[str, Any]:
        embedder, texts = _embedder(recall), payload["texts"]
        reads = [embedder.reads(text) for text in texts]
        vectors = embedder.embed(texts).tolist()
        return {"vectors": vectors, "reads": reads, "model": embedder.model}

    def reranked(payload: dict[str, Any]) -> dict[str, Any]:
        reranker = _reranker(recall)
        scores = reranker.score(payload["query"], payload["passages"])
        return {"scores": scores, "model": reranker.model}

    def read(payload: dict[str, Any]) -> dict[str, Any]:
        reranker = _reranker(recall)
        scores = [reranker.score(one["query"], one["passages"]) for one in payload["groups"]]
        return {"scores": scores, "model": reranker.model}

    def index(_payload: dict[str, Any]) -> dict[str, Any]:
        return {"judge": recall.judge_id, "floor": floor}

    operations: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
        "recall": answered, "embed": embedded, "rerank": reranked, "read": read, "index": index,
    }  # fmt: skip
    return ask


def _embedder(recall: Recall) -> Embedder:
    if not recall.models.embedder:
        raise RecallUnavailable(recall.models.problem)
    return recall.models.embedder


def _reranker(recall: Recall) -> Reranker:
    if not recall.models.reranker:
        raise RecallUnavailable(recall.models.problem)
    return recall.models.reranker
