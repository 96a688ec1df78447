"""What scratches of one vault share: the warm server's models, judge and floor."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from memory_core.benchmark.asking import Ask
from memory_core.benchmark.borrowed import BorrowedEmbedder, BorrowedReranker, Lacking
from memory_core.errors import BadInput, ModelError, RecallUnavailable
from memory_core.recall.judge import WORDS_ONLY
from memory_core.recall.meaning import Embedder
from memory_core.recall.recall import Models, Recall
from memory_core.recall.rerank import Reranker
from memory_core.settings import Settings

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Bench:
    """The models with what they know, the judge and the floor in force.

    `floor` is None where none was measured: scores are then of the order alone.
    """

    settings: Settings
    judge: str
    floor: float | None
    clearance: float | None
    embedder: BorrowedEmbedder
    reranker: BorrowedReranker

    @classmethod
    def of(cls, settings: Settings, ask: Ask, cache: Path | None = None) -> Bench:
        """Ask the server for its judge, its floor and its models.

        Raises `RecallUnavailable` while it loads, `ModelError` where it has no models, and
        what `ask` raises.
        """
        index = ask("index", {})
        judge = str(index["judge"])
        if not judge:
            raise RecallUnavailable("the memory server is not ready: its models are loading")
        if judge == WORDS_ONLY:
            raise ModelError(
                f"the memory server searches by words alone: {index.get('models', '')}",
                remedy="run: wellkept doctor",
            )
        embedder, reranker = BorrowedEmbedder(ask, cache), BorrowedReranker(ask, cache)
        floor, clearance = index.get("floor"), index.get("clearance")
        return cls(settings, judge, floor, clearance, embedder, reranker)

    def recall(self) -> Recall:
        """An empty index before these models.

        Raises `ModelError` where the server judges otherwise than this process would.
        """
        models = Models(cast(Embedder, self.embedder), cast(Reranker, self.reranker))
        made = Recall(self.settings, models)
        if made.judge_id != self.judge:
            raise ModelError(
                f"the server's judge is {self.judge}, here it is {made.judge_id}",
                remedy="stop and start everything: wellkept down, wellkept up",
            )
        return made

    def want(self, texts: Iterable[str]) -> None:
        """Get the vectors of passages; raises what `ask` raises."""
        self.embedder.want(texts)
        self.embedder.fetch()

    def ask(self, operation: str, payload: dict[str, Any]) -> dict[str, Any]:
        """Vectors as the server gives them; what is known is not asked for again.

        Raises `BadInput` for another operation than `embed`.
        """
        if operation != "embed":
            raise BadInput(f"a scratch does not {operation}")
        vectors = self.embedder.known(payload["texts"])
        return {"vectors": vectors.tolist(), "model": self.embedder.model}

    def complete(self, ask: Callable[[], T]) -> T | None:
        """What a recall answers; None where it lacked something, which `fetch` then gets."""
        before = self.reranker.misses
        try:
            answer = ask()
        except Lacking:
            return None
        return answer if self.reranker.misses == before else None

    def fetch(self) -> None:
        """Get whatever is lacking; raises what `ask` raises."""
        self.embedder.fetch()
        self.reranker.fetch()
