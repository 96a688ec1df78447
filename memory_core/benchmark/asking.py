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
from memory_core.recall.recall import Recall

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
