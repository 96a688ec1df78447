"""A scratch of the notes: an index in memory that is scored as it is, and with one change.

It searches through `recall.Recall`, so what it scores is what a person would be shown. The
models are the warm server's (`bench.py`): the first scoring reads everything, the score
of a change reads only the pairs that the change made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from memory_core.benchmark import lost, score
from memory_core.benchmark.bench import Bench
from memory_core.benchmark.questions import Question
from memory_core.benchmark.score import SHOWN, Progress, Result, silent
from memory_core.recall.answer import Answer, Legs
from memory_core.recall.recall import NO_FLOOR, Recall
from memory_core.recall.source import Source, of_note
from memory_core.vault.note import Note
from memory_core.vault.passages import split

TOGETHER = 64  # questions whose pairs are read in one go
Wanted = tuple[str, float | None, int | None]
"""A query with floor and limit."""


class Scratch:
    """Notes behind an index of their own; the vault itself is never touched."""

    def __init__(self, bench: Bench, notes: Iterable[Note]) -> None:
        self.bench = bench
        self.notes = {note.file: note for note in notes}
        self._sources = {file: _source(note) for file, note in self.notes.items()}
        self._recall: Recall | None = None
        self._answers: dict[Wanted, Answer] = {}

    @property
    def judge_id(self) -> str:
        """Names everything that makes a score."""
        return self.bench.judge

    def changed(self, notes: Mapping[str, Note | None]) -> Scratch:
        """A copy in which these files are these notes; None = the file is gone."""
        copy = Scratch(self.bench, ())
        kept = {file: note for file, note in self.notes.items() if file not in notes}
        fresh = {file: note for file, note in notes.items() if note}
        copy.notes = kept | fresh
        copy._sources = {file: self._sources[file] for file in kept}
        copy._sources |= {file: _source(note) for file, note in fresh.items()}
        return copy

    @property
    def sources(self) -> dict[str, Source]:
        """What is indexed, by id; not to be changed."""
        return self._sources

    @property
    def floor(self) -> float:
        """The floor in force, or one that everything passes."""
        return NO_FLOOR if self.bench.floor is None else self.bench.floor

    def score(
        self, questions: Sequence[Question], progress: Progress = silent
    ) -> tuple[Result, ...]:
        """Ask every question at the floor in force; raises what the server's client raises.

        No time is taken: most is known from an earlier scoring.
        """
        self._read_ahead([question.query for question in questions], progress)
        results = score.run(self, questions, self.floor)
        return tuple(replace(result, ms=0.0) for result in results)

    def attributed(
        self, questions: Sequence[Question], progress: Progress = silent
    ) -> tuple[Result, ...]:
        """As `score`, and for every missed question where it was lost."""
        return tuple(lost.attributed(self, questions, self.score(questions, progress)))

    def answer(self, question: Question) -> Answer:
        """What the question got, or gets, with its pool."""
        return self.recall(question.query, floor=self.floor, limit=SHOWN)

    def legs(self, query: str) -> Legs:
        """What each leg alone finds; raises what the server's client raises."""
        while (found := self.bench.complete(lambda: self._index().legs(query))) is None:
            self.bench.fetch()
        return found

    def recall(self, query: str, *, floor: float | None, limit: int | None = None) -> Answer:
        """One answer, as `Recall.recall` gives it; raises what the server's client raises."""
        wanted = query, floor, limit
        while not self._answered(wanted):
            self.bench.fetch()
        return self._answers[wanted]

    def _read_ahead(self, queries: Sequence[str], progress: Progress) -> None:
        """Answer all of them; what some of them lack is asked for together."""
        for at in range(0, len(queries), TOGETHER):
            left: list[Wanted] = [
                (query, self.floor, SHOWN) for query in queries[at : at + TOGETHER]
            ]
            while left := [wanted for wanted in left if not self._answered(wanted)]:
                self.bench.fetch()
            progress(min(at + TOGETHER, len(queries)), len(queries))

    def _answered(self, wanted: Wanted) -> bool:
        """Whether the answer is there now; otherwise something is lacking for it."""
        if wanted not in self._answers:
            query, floor, limit = wanted
            index = self._index()
            found = self.bench.complete(lambda: index.recall(query, floor=floor, limit=limit))
            if found is not None:
                self._answers[wanted] = found
        return wanted in self._answers

    def _index(self) -> Recall:
        if self._recall is None:
            sources = list(self._sources.values())
            self.bench.want(passage.text for source in sources for passage in source.passages)
            self._recall = self.bench.recall()
            self._recall.update(sources)
            self._recall.embed_all()
        return self._recall


def _source(note: Note) -> Source:
    return of_note(note, tuple(split(note)))
