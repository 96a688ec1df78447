"""The warm server's recall, embed, rerank, read and index in this process, without a server.

Answers have the form that server/protocol.py gives them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memory_core.errors import BadInput, RecallUnavailable
from memory_core.recall.meaning import Embedder
from memory_core.recall.recall import Recall
from memory_core.recall.rerank import Reranker

Ask = Callable[[str, dict[str, Any]], dict[str, Any]]


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
        embedder = _embedder(recall)
        return {"vectors": embedder.embed(payload["texts"]).tolist(), "model": embedder.model}

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

    operations = {
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
