"""The warm server's recall, embed and rerank in this process, for measuring without a server.

Answers have the form that server/protocol.py gives them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memory_core.errors import BadInput, RecallUnavailable
from memory_core.recall.recall import Recall

Ask = Callable[[str, dict[str, Any]], dict[str, Any]]


def in_process(recall: Recall, floor: float | None) -> Ask:
    """Ask a recall of this process; `floor` as in `Recall.recall`.

    What is returned raises `BadInput` for another operation than the three, and
    `RecallUnavailable` without models.
    """
    embedder, reranker = recall.models.embedder, recall.models.reranker

    def ask(operation: str, payload: dict[str, Any]) -> dict[str, Any]:
        if operation == "recall":
            answer = recall.recall(payload["query"], floor=floor, limit=payload.get("limit"))
            return answer.as_json(explain=bool(payload.get("explain")))
        if operation == "embed":
            if not embedder:
                raise RecallUnavailable(recall.models.problem)
            return {"vectors": embedder.embed(payload["texts"]).tolist()}
        if operation == "rerank":
            if not reranker:
                raise RecallUnavailable(recall.models.problem)
            return {"scores": reranker.score(payload["query"], payload["passages"])}
        raise BadInput(f"there is no operation {operation!r} in this process")

    return ask
