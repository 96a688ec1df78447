"""Hybrid recall: two legs, one pool, the judge, the floor, the best notes, the cut.

The answer is notes, nothing, or unavailable with the reason; a failure is never an
empty answer. Without a working embedder or re-ranker the word leg goes on alone, under
a floor of its own, and every answer says so.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from memory_core.errors import ModelError, RecallUnavailable
from memory_core.recall.answer import Answer, Candidate, Found, Legs
from memory_core.recall.condense import condense
from memory_core.recall.cutting import cut
from memory_core.recall.judge import WORDS_ONLY, Features, Judge, background, from_words
from memory_core.recall.meaning import Embedder, Meaning
from memory_core.recall.pool import union
from memory_core.recall.reading import read
from memory_core.recall.rerank import Reranker
from memory_core.recall.source import NOTES_ONLY, Place, Source, Visible
from memory_core.recall.words import Hit, Words
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.store.vectors import Vector, VectorCache, Vectors
from memory_core.text import without_surrogates

REACH = 60  # passages each leg offers to the pool
RESERVE_S = 0.03  # what is left to do after reading
NO_FLOOR = -math.inf


@dataclass(frozen=True, slots=True)
class Models:
    """The loaded models; `problem` says why one is missing, else it is empty."""

    embedder: Embedder | None
    reranker: Reranker | None
    problem: str = ""

    @classmethod
    def load(cls, settings: Settings) -> Models:
        """Load both models and run their self-test; a failure is named, never raised."""
        try:
            embedder = Embedder(settings.embedder, settings.threads)
            return cls(embedder, Reranker(settings.reranker, settings.threads))
        except ModelError as error:
            return cls(None, None, str(error))


class Recall:
    """The index of sources with the models that search it.

    One writer (`update`, `embed_some`); a recall sees the last complete update. `cache` is
    where vectors are kept: a file, or a database that servers share.
    """

    def __init__(
        self, settings: Settings, models: Models, cache: Path | Database | None = None
    ) -> None:
        self.settings, self.models = settings, models
        self._words = Words()
        self._sources: dict[str, Source] = {}
        self._meaning: Meaning | None = None
        self._judge: Judge | None = None
        if models.embedder and models.reranker:
            embedder, reranker = models.embedder, models.reranker
            self._meaning = Meaning(embedder, _kept(cache, embedder))
            self._judge = Judge(embedder.model, reranker.model)

    @property
    def judge_id(self) -> str:
        """Names everything that makes a score; a floor belongs to one such name."""
        return self._judge.id if self._judge else WORDS_ONLY

    @property
    def pending(self) -> int:
        """Passages that still wait for a vector."""
        return self._meaning.pending if self._meaning else 0

    @property
    def passages(self) -> int:
        """Passages in the index."""
        return self._words.passages

    @property
    def sources(self) -> dict[str, Source]:
        """The sources by id; not to be changed."""
        return self._sources

    def update(self, sources: Iterable[Source], removed: Iterable[str] = ()) -> None:
        """Replace sources and drop the ids in `removed`; vectors follow by `embed_some`."""
        fresh, gone = list(sources), list(removed)
        self._words.update(fresh, gone)
        if self._meaning:
            self._meaning.update(fresh, gone)
        for source_id in gone:
            self._sources.pop(source_id, None)
        self._sources.update((source.id, source) for source in fresh)

    def embed_some(self, most: int = 16) -> int:
        """Embed up to `most` waiting passages; returns how many still wait."""
        return self._meaning.embed_some(most) if self._meaning else 0

    def embed_all(self) -> None:
        """Embed everything that waits."""
        while self.embed_some(64):
            pass

    def recall(
        self,
        query: str,
        *,
        floor: float | None,
        visible: Visible = NOTES_ONLY,
        limit: int | None = None,
        deadline: float = math.inf,
        trimmed: bool = True,
    ) -> Answer:
        """The best notes for a request.

        `floor` is a raw score, `NO_FLOOR` keeps everything, None means that none was
        measured. `deadline` is a `time.monotonic()` moment. Unless `trimmed` the notes come
        without text, for callers that want scores alone. Never raises for anything that a
        request holds.
        """
        if floor is None:
            return Answer("unavailable", reason="not calibrated, run: wellkept calibrate")
        run = _Run(self, visible, deadline)
        try:
            query = without_surrogates(query)
            return run.answer(query, floor, limit or self.settings.notes, trimmed=trimmed)
        except RecallUnavailable as error:
            return Answer("unavailable", reason=error.message, stages=run.stages)

    def legs(self, query: str, visible: Visible = NOTES_ONLY) -> Legs:
        """What each leg alone finds for a request, before the pool and the judge."""
        query = without_surrogates(query)
        words = self._words.search(query, visible, REACH)
        near: list[Hit] = []
        if self._meaning:
            vector: Vector = self._meaning.embedder.embed([condense(query, self._words.rarity)])[0]
            near = self._meaning.search(vector, visible, REACH)
        return Legs(self._names(words), self._names(near))

    def _names(self, hits: Iterable[Hit]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._sources[hit.place.source].name for hit in hits))


def _kept(cache: Path | Database | None, embedder: Embedder) -> Vectors | None:
    if isinstance(cache, Database):
        from memory_core.store.shared_vectors import SharedVectors

        return SharedVectors(cache, embedder.model, embedder.width)
    return VectorCache(cache, embedder.model, embedder.width) if cache else None


class _Run:
    """One request on its way through the stages."""

    def __init__(self, recall: Recall, visible: Visible, deadline: float) -> None:
        self._recall, self._visible, self._deadline = recall, visible, deadline
        self._settings = recall.settings
        self.stages: dict[str, float] = {}
        self._unread = 0
        self._illegible = False
        self._since = time.perf_counter()

    def answer(self, query: str, floor: float, limit: int, *, trimmed: bool) -> Answer:
        recall = self._recall
        short = condense(query, recall._words.rarity)
        self._done("condense")
        words = recall._words.search(query, self._visible, REACH)
        self._done("words")
        pool = self._pool(short, words)
        chosen = self._best(pool, floor, limit)
        notes = self._cut(chosen) if trimmed else self._bare(chosen)
        self._done("trim")
        return Answer(
            status="notes" if notes else "nothing",
            notes=tuple(notes),
            reason=self._limits(),
            floor=None if floor == NO_FLOOR else floor,
            condensed=short,
            pool=tuple(candidate for candidate, _ in pool),
            stages=self.stages,
        )

    def _pool(self, short: str, words: list[Hit]) -> list[tuple[Candidate, Place]]:
        meaning = self._recall._meaning
        if not meaning:
            return self._words_only(words)
        self._illegible = not meaning.embedder.reads(short)
        return self._words_only(words) if self._illegible else self._with_models(short, words)

    def _with_models(self, short: str, words: list[Hit]) -> list[tuple[Candidate, Place]]:
        meaning, reranker = self._recall._meaning, self._recall.models.reranker
        judge = self._recall._judge
        assert meaning and reranker and judge
        vector: Vector = meaning.embedder.embed([short])[0]
        near = meaning.search(vector, self._visible, REACH)
        self._done("meaning")
        places = union(words, near, size=self._settings.pool, per_source=self._settings.per_note)
        logits = self._read(reranker, short, places)
        places = places[: len(logits)]
        self._done("rerank")
        cosines = meaning.cosines(vector, places)
        by_words = {hit.place: (rank, hit.value) for rank, hit in enumerate(words, 1)}
        ranks = {hit.place: rank for rank, hit in enumerate(near, 1)}
        known = from_words([by_words.get(at, (0, 0.0))[1] for at in places], background(words))
        features = [
            replace(each, logit=logit, cosine=cosine)
            for each, logit, cosine in zip(known, logits, cosines, strict=True)
        ]
        scores = judge.score(features)
        self._done("judge")
        pool = [
            (self._candidate(place, by_words.get(place), ranks.get(place), each, score), place)
            for place, each, score in zip(places, features, scores, strict=True)
        ]
        return sorted(pool, key=lambda row: (-row[0].score, row[1].source, row[1].ordinal))

    def _read(self, reranker: Reranker, short: str, places: list[Place]) -> list[float]:
        """Logits of the first places, the likeliest; all of them unless the deadline is near."""
        texts = [self._text(place) for place in places]
        logits = read(reranker, short, texts, self._deadline - RESERVE_S)
        self._unread = len(places) - len(logits)
        return logits

    def _words_only(self, words: list[Hit]) -> list[tuple[Candidate, Place]]:
        places = union(words, [], size=self._settings.pool, per_source=self._settings.per_note)
        by_words = {hit.place: (rank, hit.value) for rank, hit in enumerate(words, 1)}
        features = from_words([by_words[place][1] for place in places], background(words))
        judge = self._recall._judge
        scores = judge.blind(features) if judge else [each.words for each in features]
        return [
            (self._candidate(place, by_words[place], None, each, score), place)
            for place, each, score in zip(places, features, scores, strict=True)
        ]

    def _candidate(
        self,
        place: Place,
        words: tuple[int, float] | None,
        meaning_rank: int | None,
        features: Features,
        score: float,
    ) -> Candidate:
        source = self._recall._sources[place.source]
        return Candidate(
            source=source.name,
            passage=source.passages[place.ordinal].body,
            words_rank=words[0] if words else None,
            words=round(features.words, 6),
            meaning_rank=meaning_rank,
            cosine=round(features.cosine, 6),
            logit=round(features.logit, 6),
            score=round(score, 6),
        )

    def _best(
        self, pool: list[tuple[Candidate, Place]], floor: float, limit: int
    ) -> list[tuple[Candidate, Place]]:
        """The best passage of each of the first `limit` sources at or above the floor."""
        best: dict[str, tuple[Candidate, Place]] = {}
        for candidate, place in pool:
            if candidate.score >= floor and len(best) < limit:
                best.setdefault(place.source, (candidate, place))
        return list(best.values())

    def _cut(self, chosen: list[tuple[Candidate, Place]]) -> list[Found]:
        budget = self._settings.note_budget
        return [
            self._found(self._source(at), row.score, cut(self._source(at), at.ordinal, budget))
            for row, at in chosen
        ]

    def _bare(self, chosen: list[tuple[Candidate, Place]]) -> list[Found]:
        return [self._found(self._source(place), row.score, "") for row, place in chosen]

    def _found(self, source: Source, score: float, text: str) -> Found:
        return Found(
            source=source.name,
            description=source.description,
            text=text,
            score=score,
            updated=source.updated,
            scope=source.scope,
            tags=source.tags,
        )

    def _limits(self) -> str:
        """What this answer could not use, in a few words; empty when it used everything."""
        if self._recall.models.problem:
            return f"words only: {self._recall.models.problem}"
        if self._illegible:
            return "words only: the models do not know this script"
        if self._unread:
            return f"the machine is busy: {self._unread} passages of the pool were not read"
        waiting = self._recall.pending
        return f"{waiting} passages are still being embedded" if waiting else ""

    def _source(self, place: Place) -> Source:
        return self._recall._sources[place.source]

    def _text(self, place: Place) -> str:
        return self._source(place).passages[place.ordinal].text

    def _done(self, stage: str) -> None:
        """Note a stage's milliseconds; raise `RecallUnavailable` past the deadline."""
        moment = time.perf_counter()
        self.stages[stage] = round((moment - self._since) * 1000, 3)
        self._since = moment
        if time.monotonic() > self._deadline:
            raise RecallUnavailable("recall was too slow")
