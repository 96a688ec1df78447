"""A dream is scored by what its items cite, tell and name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_core.benchmark import dream_gold, dream_score
from memory_core.benchmark.dream_score import Dreamed
from memory_core.errors import BadInput, NotFound
from memory_core.proposals.item import Evidence, Item

GOLD = {
    "procedures": [
        {
            "id": "replay",
            "expected": "propose",
            "steps": ["shopctl webhooks replay", "shopctl queues"],
            "occurrences": [{"session": name} for name in "abcd"],
        },
        {"id": "update", "expected": "do not propose", "occurrences": [{"session": "e"}]},
    ],
    "stale_notes": [
        {
            "note": "bread.md",
            "contradicted_by": [{"session": "a"}],
            "now": ["60"],
            "not_now": ["90"],
        },
        {"note": "old.md", "contradicted_by": [{"note": "new.md"}]},
        {"note": "dated.md", "contradicted_by": [{"session": "b"}], "weight": "optional: a result"},
    ],
    "duplicates": [["one.md", "two.md"]],
    "not_duplicates": [["left.md", "right.md"]],
}


@pytest.fixture
def gold(tmp_path: Path) -> dream_gold.DreamGold:
    file = tmp_path / "gold.json"
    file.write_text(json.dumps({"dream": GOLD}), "utf-8")
    return dream_gold.load(file)


def told(*sessions: str) -> tuple[Evidence, ...]:
    return tuple(Evidence(name, 1, "user", "said") for name in sessions)


REPLAY = Item(
    "add",
    "note",
    "replay.md",
    "replay",
    "",
    "1. `shopctl webhooks replay`\n2. `shopctl queues`",
    told("a", "c"),
)
BREAD = Item("revise", "note", "bread.md", "bread", "45 min", "45 min Since May: 60", told("a"))
OLD = Item("revise", "note", "old.md", "old", "x", "x y", detail={"newer": "new.md"})


def test_all_that_is_right_counts(gold: dream_gold.DreamGold) -> None:
    score = dream_score.judge(
        gold, Dreamed((REPLAY, BREAD, OLD), (("two.md", "one.md"),))
    ).as_json()
    for kind in ("procedures", "stale_notes", "duplicates"):
        assert (score[kind]["precision"], score[kind]["recall"]) == (1.0, 1.0)
    assert score["false_alarms"] == []


@pytest.mark.parametrize(
    "item",
    [
        Item("add", "note", "replay.md", "too few sessions", "", REPLAY.after, told("a")),
        Item("add", "note", "replay.md", "other steps", "", "1. `ls`", told("a", "b", "c", "d")),
        Item("add", "note", "update.md", "three uses", "", "1. `docker pull`", told("e")),
    ],
)
def test_a_procedure_needs_its_sessions_and_its_steps(
    gold: dream_gold.DreamGold, item: Item
) -> None:
    part = dream_score.judge(gold, Dreamed((item,))).procedures
    assert (part.right, part.wrong, part.missed) == ((), (item.title,), ("replay",))


@pytest.mark.parametrize(
    ("after", "evidence"),
    [
        ("45 min Since May: 60", told("b")),
        ("45 min Since May: 90", told("a")),
        ("45 min Since May: 60 or 90", told("a")),
        ("60 min 45 min", told("a")),
    ],
)
def test_a_stale_note_needs_its_evidence_and_the_new_value(
    gold: dream_gold.DreamGold, after: str, evidence: tuple[Evidence, ...]
) -> None:
    item = Item("revise", "note", "bread.md", "t", "45 min", after, evidence)
    part = dream_score.judge(gold, Dreamed((item,))).stale
    right = after == "60 min 45 min"  # the whole text is what is said now where it begins anew
    assert ("bread.md" in part.right) is right and ("bread.md" in part.wrong) is not right


def test_an_optional_note_counts_neither_way(gold: dream_gold.DreamGold) -> None:
    item = Item("revise", "note", "dated.md", "t", "x", "x y", told("b"))
    score = dream_score.judge(gold, Dreamed((item,)))
    assert score.stale.wrong == () and score.optional == ("dated.md",)
    assert score.stale.missed == ("bread.md", "old.md")


def test_a_pair_that_must_stay_apart_is_a_false_alarm(gold: dream_gold.DreamGold) -> None:
    score = dream_score.judge(gold, Dreamed((), (("right.md", "left.md"),)))
    assert score.alarms == ("left.md + right.md",)
    assert score.duplicates.as_json()["precision"] == 0.0


def test_a_gold_that_does_not_hold_says_what_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "gold.json"
    with pytest.raises(NotFound):
        dream_gold.load(file)
    file.write_text('{"dream": {"procedures": []}}', "utf-8")
    with pytest.raises(BadInput, match="no 'stale_notes'"):
        dream_gold.load(file)
    with pytest.raises(NotFound, match="no transcript"):
        dream_score.window(tmp_path)
