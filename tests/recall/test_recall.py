"""Recall answers with notes, with nothing, or with the reason why it cannot."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_core.recall.recall import NO_FLOOR, Models, Recall
from memory_core.recall.source import NOTES, Source, Visible
from memory_core.settings import Settings
from memory_core.vault.note import Point
from memory_core.vault.passages import Passage

TEXTS = {
    "rollback.md": ("Rollouts", "Roll back a release with `shopctl deploy shop-api --previous`."),
    "backup.md": ("Backups", "Full database backups run on Sunday at 03:30 and are kept 14 days."),
    "cat.md": ("The cat", "The cat gets 40 g of dry food at seven in the morning."),
    "port.md": (
        "Ports",
        "The metrics exporter listens on port 9187, error E-2207 means no scrape.",
    ),
}


def _source(name: str, head: str, *points: str, group: str = NOTES) -> Source:
    passages = tuple(Passage(name, head, text, at, at) for at, text in enumerate(points))
    shown = tuple(Point(text, at + 1) for at, text in enumerate(points))
    return Source(name, name, passages, shown, group=group, description=head)


@pytest.fixture(scope="module")
def recall(recall_models: Models) -> Recall:
    index = Recall(Settings(), recall_models)
    index.update(_source(name, head, text) for name, (head, text) in TEXTS.items())
    index.embed_all()
    return index


@pytest.mark.parametrize(
    ("request_", "note"),
    [
        ("how do we undo a bad deployment of shop-api?", "rollback.md"),
        ("when are database backups made", "backup.md"),
        ("E-2207", "port.md"),
        ("What does the cat eat?", "cat.md"),
    ],
)
def test_the_note_that_answers_comes_first(recall: Recall, request_: str, note: str) -> None:
    answer = recall.recall(request_, floor=NO_FLOOR)
    assert answer.status == "notes"
    assert answer.notes[0].source == note
    assert answer.notes[0].text == TEXTS[note][1]


def test_under_the_floor_nothing_is_returned_and_said(recall: Recall) -> None:
    best = recall.recall("PHRASE_8842_QQQQ", floor=NO_FLOOR).pool[0].score
    wanted = recall.recall("What does the cat eat?", floor=NO_FLOOR).pool[0].score
    assert best < wanted
    floor = (best + wanted) / 2
    assert recall.recall("PHRASE_8842_QQQQ", floor=floor).status == "nothing"
    assert recall.recall("What does the cat eat?", floor=floor).status == "notes"


def test_without_a_floor_recall_is_unavailable_and_says_so(recall: Recall) -> None:
    answer = recall.recall("What does the cat eat?", floor=None)
    assert (answer.status, answer.notes) == ("unavailable", ())
    assert "calibrate" in answer.reason


def test_past_the_deadline_recall_is_unavailable_and_says_so(recall: Recall) -> None:
    answer = recall.recall("What does the cat eat?", floor=NO_FLOOR, deadline=time.monotonic())
    assert (answer.status, answer.reason) == ("unavailable", "recall was too slow")


@pytest.mark.parametrize(
    "request_", ["", " ", "\x00", "🙂", "title:(", 'AND OR "', "x" * 200_000, "ᚠᚢᚦᚨᚱᚲ", "\ud800"]
)
def test_no_request_raises(recall: Recall, request_: str) -> None:
    assert recall.recall(request_, floor=NO_FLOOR).status in ("notes", "nothing")


def test_the_same_request_scores_the_same_to_the_bit(recall: Recall) -> None:
    first = recall.recall("when are backups made", floor=NO_FLOOR)
    again = recall.recall("when are backups made", floor=NO_FLOOR)
    assert [row.score for row in first.pool] == [row.score for row in again.pool]


def test_an_answer_holds_a_note_once_and_at_most_three(recall_models: Models) -> None:
    index = Recall(Settings(), recall_models)
    texts = [f"Backups of host {number} run at {number} o'clock." for number in range(8)]
    index.update([_source("many.md", "Backups", *texts)])
    index.update(_source(f"{at}.md", "Backups", text) for at, text in enumerate(texts))
    answer = index.recall("when do the backups run", floor=NO_FLOOR)
    names = [note.source for note in answer.notes]
    assert len(names) == len(set(names)) == 3


def test_a_long_note_is_cut_to_the_point_that_answers(recall_models: Models) -> None:
    index = Recall(Settings(note_budget=200), recall_models)
    filler = [f"Shelf {number} in the cellar holds jars of plum jam." for number in range(12)]
    points = [*filler[:6], "The spare key of the boat hangs behind the clock.", *filler[6:]]
    index.update([_source("house.md", "The house", *points)])
    [note] = index.recall("where is the spare key of the boat?", floor=NO_FLOOR).notes
    assert "behind the clock" in note.text
    assert len(note.text) < 250


def test_passages_without_a_vector_are_found_by_words_and_that_is_said(
    recall_models: Models,
) -> None:
    index = Recall(Settings(), recall_models)
    index.update(_source(name, head, text) for name, (head, text) in TEXTS.items())
    answer = index.recall("when are database backups made", floor=NO_FLOOR)
    assert answer.notes[0].source == "backup.md"
    assert "still being embedded" in answer.reason or not index.pending


def test_a_memory_is_seen_only_by_requests_that_may_see_its_bank(recall_models: Models) -> None:
    index = Recall(Settings(), recall_models)
    index.update(
        [
            _source("memory:tea", "Tea", "Ada drinks green tea at four.", group="user:ada"),
            _source("tea.md", "Tea", "Tea is bought at the corner shop."),
        ]
    )
    mine = Visible(frozenset({NOTES, "user:ada"}))
    hidden = Visible(mine.groups, frozenset({"memory:tea"}))
    asked = "when does Ada drink tea"

    def seen(visible: Visible) -> set[str]:
        return {n.source for n in index.recall(asked, floor=NO_FLOOR, visible=visible).notes}

    assert "memory:tea" in seen(mine)
    assert "memory:tea" not in seen(hidden)
    assert "memory:tea" not in seen(Visible())


@pytest.fixture
def broken_head(recall_models: Models, tmp_path: Path) -> Iterator[Path]:
    """A cross-encoder whose head is loaded wrong: every passage gets the same score."""
    import torch
    from sentence_transformers import CrossEncoder

    from memory_core.recall import shipped

    model = CrossEncoder(str(shipped.base_folder()), num_labels=1, device="cpu")
    with torch.no_grad():
        model.model.classifier.weight.zero_()
    model.save_pretrained(str(tmp_path / "broken"))
    yield tmp_path / "broken"


def test_a_reranker_that_cannot_tell_passages_apart_is_refused_and_words_go_on(
    broken_head: Path,
) -> None:
    models = Models.load(Settings(reranker=str(broken_head)))
    assert "self-test" in models.problem
    index = Recall(Settings(), models)
    index.update(_source(name, head, text) for name, (head, text) in TEXTS.items())
    answer = index.recall("database backups", floor=NO_FLOOR)
    assert answer.notes[0].source == "backup.md"
    assert answer.reason.startswith("words only")
    assert index.judge_id == "words-only@1"


def test_a_missing_model_is_named_with_the_remedy(tmp_path: Path) -> None:
    models = Models.load(Settings(embedder=str(tmp_path / "gone")))
    assert str(tmp_path / "gone") in models.problem
    assert "setting embedder" in models.problem
