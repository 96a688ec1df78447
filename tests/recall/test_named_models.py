"""Any SentenceTransformer and CrossEncoder can be named by its folder, with its own floor."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from memory_core.benchmark import calibrate, questions
from memory_core.errors import NotCalibrated
from memory_core.recall import rerank, shipped
from memory_core.recall.floor import in_force
from memory_core.recall.naming import identity
from memory_core.recall.recall import NO_FLOOR, Models, Recall
from memory_core.recall.source import Source
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.vault.note import Point
from memory_core.vault.passages import Passage

TEXTS = {
    "backup.md": "Full database backups run on Sunday at 03:30 and are kept 14 days.",
    "cat.md": "The cat gets 40 g of dry food at seven in the morning.",
}


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The packaged MiniLM as a user's embedder, and a cross-encoder saved to a folder."""
    folder = tmp_path_factory.mktemp("named")
    shutil.copytree(shipped.base_folder(), folder / "embedder")
    rerank._load("").save_pretrained(str(folder / "reranker"))
    return Settings(embedder=str(folder / "embedder"), reranker=str(folder / "reranker"))


@pytest.fixture(scope="module")
def recall(named: Settings) -> Recall:
    models = Models.load(named)
    assert models.problem == ""
    index = Recall(named, models)
    index.update(
        Source(name, name, (Passage(name, "", text),), (Point(text, 1),))
        for name, text in TEXTS.items()
    )
    index.embed_all()
    return index


def test_models_of_a_folder_answer(recall: Recall) -> None:
    for asked, right in (("when are backups made", "backup.md"), ("cat food", "cat.md")):
        answer = recall.recall(asked, floor=NO_FLOOR)
        assert answer.notes[0].source == right
        assert "rerank" in answer.stages


def test_their_floor_is_their_own(
    recall: Recall, recall_models: Models, database: Database
) -> None:
    ours = Recall(Settings(), recall_models).judge_id
    asked = [
        questions.Question("a", "when are backups made", "backup.md", kind="direct"),
        questions.Question("b", "cat food", "cat.md", kind="direct"),
        questions.Question("c", "who won the chess game in Reykjavik"),
    ]
    measured = calibrate.measure(recall, asked, (), (), margin=0.1)
    calibrate.keep(database, measured, judge=recall.judge_id, vault="v")
    assert in_force(database, recall.judge_id, "v").value == measured.floor
    with pytest.raises(NotCalibrated, match="the floor was measured with"):
        in_force(database, ours, "v")


def test_the_name_holds_the_folder_and_a_revision(recall: Recall, named: Settings) -> None:
    embedder, reranker, _ = recall.judge_id.split("+")
    assert embedder.startswith(f"{named.embedder}@")
    assert reranker.startswith(f"{named.reranker}@")


def test_other_weights_in_the_same_folder_are_another_model(tmp_path: Path) -> None:
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(b"one")
    before = identity(str(tmp_path), None)
    weights.write_bytes(b"two")
    assert identity(str(tmp_path), None) != before
    assert identity("some/model", None) == "some/model"
