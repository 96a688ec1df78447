"""A missed question is put down to the first stage that lost its note."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_core.benchmark import lost, subject
from memory_core.benchmark.questions import Question
from memory_core.benchmark.score import Result
from memory_core.recall.recall import Models
from memory_core.settings import Settings

WORDS_ALONE = Models(None, None, "no models")
LONG = "\n".join(
    f"- Sentence number {n} of the lighthouse keeper about storms, {'fog ' * 12}."
    for n in range(20)
)


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("vault")
    notes = {f"rain-{n:02}": "- Rain gauge, rain barrel: rain." for n in range(40)}
    notes |= {f"snow-{n}": "- Snow shovel, snow chain: snow." for n in range(6)}
    notes["umbrella"] = f"- {'It keeps the wind out and lasts for years. ' * 3}Also for rain."
    notes["boots"] = f"- {'They are lined with wool and stand in the hall. ' * 3}Also for snow."
    notes["keeper"] = f"- The keeper's parrot is called Zebulon.\n{LONG}\n- Wages come on the 3rd."
    for key, text in notes.items():
        (root / f"{key}.md").write_text(f"{text}\n")
    return root


@pytest.fixture
def under(vault: Path) -> subject.Subject:
    return subject.load(Settings(vault=vault), models=WORDS_ALONE)


def _asked(query: str, note: str, point: str | None = None) -> Question:
    return Question("q", query, note, point, "direct")


def _one(under: subject.Subject, question: Question, floor: float | None = None) -> Result:
    return lost.scored(under.recall, [question], floor)[0]


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        (_asked("parrot Zebulon", "gone.md"), lost.NOT_IN_VAULT),
        (_asked("parrot Zebulon", "keeper.md", "is called Polly"), lost.NOT_IN_VAULT),
        (_asked("quokka marmalade", "keeper.md"), lost.IN_NO_LEG),
        (_asked("rain", "umbrella.md"), lost.IN_THE_POOL),
        (_asked("snow", "boots.md"), lost.IN_RERANKING),
        (_asked("parrot Zebulon", "keeper.md", "Wages come on the 3rd"), lost.TRIMMED_AWAY),
        (_asked("parrot Zebulon", "keeper.md", "is called Zebulon"), ""),
        (_asked("parrot Zebulon", "keeper.md"), ""),
        (Question("n", "parrot Zebulon"), ""),
    ],
)
def test_each_stage_that_can_lose_a_note_is_told(
    under: subject.Subject, question: Question, reason: str
) -> None:
    assert _one(under, question).lost == reason


def test_a_note_among_the_three_below_the_floor_is_told(under: subject.Subject) -> None:
    found = _one(under, _asked("parrot Zebulon", "keeper.md"), floor=1e6)
    assert (found.rank, found.lost) == (1, lost.UNDER_THE_FLOOR)


def test_what_stood_above_is_told(under: subject.Subject) -> None:
    found = _one(under, _asked("snow", "boots.md"))
    assert found.above == ("snow-0.md", "snow-1.md", "snow-2.md")
    assert _one(under, _asked("parrot Zebulon", "keeper.md")).above == ()


def test_losses_are_counted_in_the_order_of_the_stages(under: subject.Subject) -> None:
    asked = [_asked("snow", "boots.md"), _asked("rain", "umbrella.md"), _asked("snow", "boots.md")]
    counts = lost.counted(lost.scored(under.recall, asked))
    assert list(counts) == list(lost.REASONS)
    assert (counts[lost.IN_THE_POOL], counts[lost.IN_RERANKING]) == (1, 2)
    assert sum(counts.values()) == 3


def test_legs_tell_how_far_each_one_reaches(under: subject.Subject) -> None:
    legs = under.recall.legs("rain")
    assert "umbrella.md" in legs.words and legs.meaning == ()
