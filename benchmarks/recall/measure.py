"""Run every question through the run-time recall and keep each stage's order and scores."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from benchmarks.recall.sets import Corpus, Question
from memory_core.recall import shipped
from memory_core.recall.answer import Answer
from memory_core.recall.condense import condense
from memory_core.recall.meaning import Meaning
from memory_core.recall.pool import fusion
from memory_core.recall.recall import NO_FLOOR, REACH, Models, Recall
from memory_core.recall.source import NOTES_ONLY
from memory_core.recall.words import Words
from memory_core.settings import Settings

# Each leg, their fusion, the cross-encoder alone, the judge without it, and the judge.
SYSTEMS = ("BM25", "dense", "RRF", "cross-encoder", "judge without it", "judge")


@dataclass
class Ranking:
    """Sources best first, each with its best score."""

    sources: list[str]
    scores: list[float]

    @property
    def best(self) -> float:
        """The score that a gate sees."""
        return self.scores[0] if self.scores else -99.0


@dataclass
class Outcome:
    """A question, what each system made of it, and what it cost."""

    question: Question
    by: dict[str, Ranking] = field(default_factory=dict)
    pool: set[str] = field(default_factory=set)
    stages: dict[str, float] = field(default_factory=dict)


class Bench:
    """A corpus with the run-time recall and, beside it, the bare legs."""

    def __init__(self, corpus: Corpus, settings: Settings, models: Models) -> None:
        assert models.embedder, models.problem
        self.corpus, self.settings = corpus, settings
        self.recall = Recall(settings, models)
        judge = shipped.judge()
        self.weight = dict(zip(judge["features"], judge["weights"], strict=True))["logit"]
        self.words, self.meaning = Words(), Meaning(models.embedder)
        self.words.update(corpus.sources)
        for index in (self.recall, self.meaning):
            index.update(corpus.sources)
            while index.embed_some(64):
                pass

    def outcomes(self, say: Callable[[str], None]) -> list[Outcome]:
        """Ask everything."""
        found, since = [], time.monotonic()
        for number, question in enumerate(self.corpus.questions, 1):
            found.append(self._ask(question))
            if number % 50 == 0:
                say(f"{self.corpus.name}: {number} asked, {time.monotonic() - since:.0f} s")
        return found

    def _ask(self, question: Question) -> Outcome:
        began = time.perf_counter()
        answer = self.recall.recall(question.text, floor=NO_FLOOR)
        took = (time.perf_counter() - began) * 1000
        outcome = Outcome(question, self._legs(question.text))
        outcome.by["cross-encoder"] = ranking(_pairs(answer, "logit"))
        outcome.by["judge without it"] = ranking(_without(answer, self.weight))
        outcome.by["judge"] = ranking(_pairs(answer, "score"))
        outcome.pool = {candidate.source for candidate in answer.pool}
        outcome.stages = {**answer.stages, "all": took}
        return outcome

    def _legs(self, request: str) -> dict[str, Ranking]:
        words = self.words.search(request, NOTES_ONLY, REACH)
        vector = self.meaning.embedder.embed([condense(request, self.words.rarity)])[0]
        near = self.meaning.search(vector, NOTES_ONLY, REACH)
        fused = fusion(words, near, size=REACH, per_source=1)
        return {
            "BM25": ranking((hit.place.source, hit.value) for hit in words),
            "dense": ranking((hit.place.source, hit.value) for hit in near),
            "RRF": ranking((place.source, 1 / at) for at, place in enumerate(fused, 1)),
        }


def _pairs(answer: Answer, what: str) -> list[tuple[str, float]]:
    return [(candidate.source, float(getattr(candidate, what))) for candidate in answer.pool]


def _without(answer: Answer, weight: float) -> list[tuple[str, float]]:
    """The judge's scores less what the cross-encoder adds."""
    return [(row.source, row.score - weight * row.logit) for row in answer.pool]


def ranking(pairs: Iterable[tuple[str, float]]) -> Ranking:
    """Order sources by their best score; ties stay in order."""
    best: dict[str, float] = {}
    for source, score in pairs:
        best[source] = max(score, best.get(source, -np.inf))
    ordered = sorted(best.items(), key=lambda row: -row[1])
    return Ranking([source for source, _ in ordered], [score for _, score in ordered])
