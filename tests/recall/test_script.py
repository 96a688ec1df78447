"""A request in a script that the models do not know is searched by words, and that is said."""

from __future__ import annotations

import pytest

from memory_core.recall.recall import NO_FLOOR, Models, Recall
from memory_core.recall.script import unknown_share
from memory_core.recall.source import Source
from memory_core.settings import Settings
from memory_core.vault.note import Point
from memory_core.vault.passages import Passage

UNKNOWN = ["数据库备份保留多长时间", "จะย้อนกลับการปล่อยรุ่นที่เสียได้อย่างไร", "ખરાબ રિલીઝ કેવી રીતે પાછું લેવું"]
KNOWN = [
    "how long do we keep backups?",
    "Wie lange heben wir die Zertifikate auf?",
    "証明書の有効期限はいつ切れますか",
    "hvor lenge beholder vi sikkerhetskopiene, æøå?",
    "rollback ለምን shopctl deploy",
    "如何 rollback shopctl deploy",
    "",
]
TEXTS = {
    "backup.md": "数据库备份保留十四天，每周日凌晨三点半进行。",
    "cat.md": "The cat gets 40 g of dry food at seven in the morning.",
}


def _source(name: str, text: str) -> Source:
    return Source(name, name, (Passage(name, "", text),), (Point(text, 1),))


@pytest.fixture(scope="module")
def recall(recall_models: Models) -> Recall:
    index = Recall(Settings(), recall_models)
    index.update(_source(name, text) for name, text in TEXTS.items())
    index.embed_all()
    return index


@pytest.mark.parametrize("text", UNKNOWN)
def test_a_request_that_is_mostly_unknown_is_searched_by_words(recall: Recall, text: str) -> None:
    answer = recall.recall(text, floor=NO_FLOOR)
    assert answer.reason == "words only: the models do not know this script"
    assert "rerank" not in answer.stages


@pytest.mark.parametrize("text", KNOWN)
def test_a_request_known_in_part_stays_with_the_models(recall: Recall, text: str) -> None:
    answer = recall.recall(text, floor=NO_FLOOR)
    assert answer.reason == ""
    assert "rerank" in answer.stages


def test_words_alone_find_the_note_and_score_above_a_foreign_one(recall: Recall) -> None:
    found = recall.recall(UNKNOWN[0], floor=NO_FLOOR)
    assert [note.source for note in found.notes] == ["backup.md"]
    higher = recall.recall("数据库备份保留十四天 每周日凌晨三点半", floor=NO_FLOOR)
    assert higher.notes[0].score > found.notes[0].score
    assert recall.recall("天气预报怎么样呢今晚", floor=found.notes[0].score).status == "nothing"


def test_a_tokenizer_without_an_unknown_token_reads_everything() -> None:
    assert unknown_share(object(), UNKNOWN[0]) == 0.0
