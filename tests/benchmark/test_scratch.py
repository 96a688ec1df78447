"""A scratch of the notes scores as recall does, and reads anew only what a change made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory_core.benchmark import score
from memory_core.benchmark.asking import Ask, in_process
from memory_core.benchmark.bench import Bench
from memory_core.benchmark.questions import load
from memory_core.benchmark.scratch import Scratch
from memory_core.errors import ModelError, RecallUnavailable
from memory_core.recall.recall import Models, Recall
from memory_core.recall.source import of_note
from memory_core.settings import Settings
from memory_core.vault.passages import split
from tests.benchmark import shelf


class Counting:
    """Asks, and remembers what was asked."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, operation: str, payload: dict[str, Any]) -> dict[str, Any]:
        self.calls.append((operation, payload))
        return self._ask(operation, payload)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return [
            (group["query"], passage)
            for operation, payload in self.calls if operation == "read"
            for group in payload["groups"] for passage in group["passages"]
        ]  # fmt: skip


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(vault=shelf.lay(tmp_path / "vault"))


@pytest.fixture
def recall(settings: Settings, recall_models: Models) -> Recall:
    made = Recall(settings, recall_models)
    made.update(of_note(note, tuple(split(note))) for note in shelf.notes())
    made.embed_all()
    return made


@pytest.fixture
def ask(recall: Recall) -> Counting:
    return Counting(in_process(recall, shelf.FLOOR))


def scratch(settings: Settings, ask: Ask, cache: Path | None = None) -> Scratch:
    return Scratch(Bench.of(settings, ask, cache), shelf.notes())


def test_an_unchanged_copy_scores_as_recall_does(
    settings: Settings, recall: Recall, ask: Counting
) -> None:
    questions = load(settings.vault).questions  # type: ignore[arg-type]
    real = score.run(recall, questions, shelf.FLOOR)
    copied = scratch(settings, ask).score(questions)
    assert score.summary(copied)["hit@3"] == score.summary(real)["hit@3"] == 1.0
    for one, other in zip(real, copied, strict=True):
        assert other.score == pytest.approx(one.score, abs=1e-3)
        assert other.best == pytest.approx(one.best, abs=1e-3)
        assert replace(other, ms=one.ms, score=one.score, best=one.best) == one


def test_many_questions_are_few_calls(settings: Settings, ask: Counting) -> None:
    questions = load(settings.vault).questions  # type: ignore[arg-type]
    scratch(settings, ask).score(questions)
    reads = [payload for operation, payload in ask.calls if operation == "read"]
    assert len([one for one in reads if one["groups"]]) == 1
    assert len(set(ask.pairs)) == len(ask.pairs) >= len(questions) * 3


def test_a_change_reads_only_what_it_made(settings: Settings, ask: Counting) -> None:
    questions = load(settings.vault).questions  # type: ignore[arg-type]
    before = scratch(settings, ask)
    results = before.score(questions)
    ask.calls.clear()
    boat = before.notes["boat.md"]
    after = before.changed({"boat.md": replace(boat, description="The boat in winter")})
    after.score(questions)
    assert ask.pairs and all("The boat in winter" in passage for _, passage in ask.pairs)
    ask.calls.clear()
    assert before.score(questions) == results
    assert not ask.calls


def test_a_note_that_goes_takes_its_answers_along(settings: Settings, ask: Counting) -> None:
    questions = load(settings.vault).questions  # type: ignore[arg-type]
    before = scratch(settings, ask)
    assert all(one.hit for one in before.score(questions) if one.answerable)
    after = before.changed({"bees.md": None}).attributed(questions)
    assert [one.id for one in after if one.answerable and not one.hit] == ["w002"]
    assert [one.lost for one in after if one.lost] == ["not in the vault"]
    assert "bees.md" in before.notes


def test_what_was_read_is_known_to_the_next_scratch(
    settings: Settings, ask: Counting, tmp_path: Path
) -> None:
    questions = load(settings.vault).questions  # type: ignore[arg-type]
    cache = tmp_path / "cache.sqlite"
    first = scratch(settings, ask, cache).score(questions)
    ask.calls.clear()
    assert scratch(settings, ask, cache).score(questions) == first
    assert not ask.pairs
    stored = b"".join(file.read_bytes() for file in tmp_path.glob("cache.sqlite*"))
    assert b"bisque" not in stored and b"airport" not in stored


def test_scores_of_two_models_are_never_mixed(settings: Settings, ask: Counting) -> None:
    questions = load(settings.vault).questions  # type: ignore[arg-type]

    def exchanged(operation: str, payload: dict[str, Any]) -> dict[str, Any]:
        answer = ask(operation, payload)
        return answer | {"model": "another"} if payload.get("groups") else answer

    with pytest.raises(ModelError, match="exchanged while memory was scored"):
        scratch(settings, exchanged).score(questions)


def test_a_server_that_judges_otherwise_is_refused(settings: Settings, ask: Counting) -> None:
    def other(operation: str, payload: dict[str, Any]) -> dict[str, Any]:
        return ask(operation, payload) | ({"judge": "another"} if operation == "index" else {})

    with pytest.raises(ModelError, match="the server's judge is another"):
        scratch(settings, other).score(load(settings.vault).questions)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("judge", "error"), [("", RecallUnavailable), ("words-only@1", ModelError)]
)
def test_without_models_nothing_is_scored(
    settings: Settings, judge: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        Bench.of(settings, lambda *_: {"judge": judge, "floor": None, "models": "damaged"})


def test_a_vault_without_notes_and_a_test_without_questions_have_scores(
    settings: Settings, ask: Counting
) -> None:
    bench = Bench.of(settings, ask)
    empty = Scratch(bench, ()).attributed(load(settings.vault).questions)  # type: ignore[arg-type]
    assert [one.lost for one in empty] == ["not in the vault"] * 3 + [""]
    assert scratch(settings, ask).score(()) == ()
