"""One unsound change refuses a whole plan, whoever wrote it, and the reason is named."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.errors import BadInput
from memory_core.routines import consolidation
from memory_core.routines.consolidation import Change, Plan
from tests.routines.holding import BANKS, NAMES, SMALL, WORDS, Row, bank, filled, memory

GREEDY = [
    Change("drop", (f"{name}-rule",), f"the {name} team is of no use") for name in NAMES.split()[:9]
]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (Change("drop", ("amber-rule",), ""), "has no reason"),
        (Change("drop", ("amber-rule",), "clean up"), "says nothing of the memory"),
        (Change("drop", ("nowhere",), "the nowhere team left"), "no memory 'nowhere'"),
        (Change("drop", ("amber-rule", "birch-rule"), "amber and birch"), "drops 2 memories"),
        (Change("merge", ("amber-rule",), "amber alone", "x", "y"), "fewer than two"),
        (Change("merge", ("amber-rule", "amber-rule"), "amber", "x", "y"), "named 2 times"),
        (Change("merge", ("amber-rule", "birch-rule"), "amber rooms", "", ""), "no content"),
        (
            Change(
                "merge",
                ("amber-rule", "birch-rule"),
                "amber and birch rooms",
                "The amber team meets in room 11, the birch team in room 12, on Friday.",
                "amber birch",
            ),
            "invents in its content: Friday",
        ),
        (
            Change(
                "merge",
                ("amber-rule", "birch-rule"),
                "amber and birch rooms",
                "The amber team and the birch team meet in room 11.",
                "amber birch",
            ),
            "loses of birch-rule: 12",
        ),
        (
            Change(
                "merge",
                ("amber-rule", "birch-rule"),
                "amber and birch rooms",
                "The amber team meets in room 11, 12.",
                "amber",
            ),
            "loses of birch-rule: birch",
        ),
        (
            Change(
                "merge",
                ("amber-rule", "birch-rule"),
                "amber and birch rooms",
                "amber birch team meets room 11 12 " * 80,
                "amber",
            ),
            "the cap is 2000",
        ),
    ],
)
def test_a_plan_with_one_unsound_change_is_refused_whole_and_says_why(
    change: Change, problem: str
) -> None:
    held = bank()
    sound = Change("drop", ("cedar-rule",), "the cedar team is no more")
    found = consolidation.check(Plan(len(held), (sound, change)), held, SMALL)
    assert problem in "\n".join(found)


def test_a_greedy_plan_is_refused() -> None:
    held = bank()
    found = consolidation.check(Plan(len(held), tuple(GREEDY)), held, SMALL)
    assert found == ["the plan leaves 1 memories; it must keep 2"]


def test_more_than_thirty_changes_are_refused() -> None:
    held = [memory(f"rule-{at}", f"Rule {at} holds.") for at in range(50)]
    drops = tuple(Change("drop", (f"rule-{at}",), f"rule {at} is gone") for at in range(31))
    assert consolidation.check(Plan(50, drops), held) == [
        "the plan has 31 changes, at most 30 fit",
        "the plan leaves 19 memories; it must keep 24",
    ]


def test_opposites_and_two_values_of_one_thing_are_never_merged_into_one() -> None:
    held = bank(
        memory("likes", "I love coriander."),
        memory("dislikes", "I hate coriander."),
        memory("colour-a", "My favourite colour is purple."),
        memory("colour-b", "My favourite colour is cyan."),
    )
    taste = Change(
        "merge", ("likes", "dislikes"), "coriander twice", "I love, hate coriander.", "likes"
    )
    colour = Change(
        "merge",
        ("colour-a", "colour-b"),
        "colour twice",
        "My favourite colour is cyan.",
        "favourite colour",
    )
    found = "\n".join(consolidation.check(Plan(len(held), (taste, colour)), held, SMALL))
    assert "change 1 merges opposites" in found
    assert "change 2 loses of colour-a: purple" in found


def test_a_good_merge_by_somebody_else_is_accepted_and_shows_all_its_texts() -> None:
    held = bank(
        memory("room-red", "Reviews are in the red room."),
        memory("time-reviews", "Reviews begin at 09:30."),
    )
    change = Change(
        "merge",
        ("room-red", "time-reviews"),
        "both are about reviews",
        "Reviews are in the red room and begin at 09:30.",
        "Reviews: room, time",
    )
    made = Plan(len(held), (change,))
    assert consolidation.check(made, held, SMALL) == []
    (item,) = consolidation.items(made, held)
    assert (item.action, item.kind, item.target) == ("merge", "memory", held[0].id)
    assert item.detail["merges"] == [held[1].id]
    assert set(item.detail["texts"].values()) == {held[0].content, held[1].content}


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        {"changes": "all"},
        {"changes": [1]},
        {"changes": [{"action": "burn", "keys": []}]},
        {"changes": [{"action": "drop", "keys": "amber-rule"}]},
        {"changes": [{"action": "drop", "keys": [1], "reason": "x"}]},
        {"changes": [{"action": "drop", "keys": ["a"], "reason": ["x"]}]},
    ],
)
def test_a_malformed_plan_is_refused_by_name(document: object) -> None:
    with pytest.raises(BadInput):
        consolidation.read(document, bank())


def test_what_is_read_is_what_was_written() -> None:
    row = {"action": "drop", "keys": ["amber-rule"], "reason": "the amber team is gone"}
    made = consolidation.read({"changes": [row]}, bank())
    assert made == Plan(10, (Change("drop", ("amber-rule",), "the amber team is gone"),))


CHANGES = st.lists(
    st.builds(
        Change,
        st.sampled_from(["merge", "drop"]),
        st.lists(st.sampled_from([f"k{at}" for at in range(8)]), max_size=3).map(tuple),
        st.text(max_size=20) | st.sampled_from(["tea box", "[[k3]] replaces it", "red"]),
        st.text(max_size=30) | WORDS.map(" ".join),
        st.text(max_size=10) | st.just("tea box red"),
    ),
    max_size=6,
)


@settings(max_examples=200, deadline=None)
@given(BANKS, CHANGES)
def test_whatever_a_plan_says_what_passes_keeps_scope_target_and_reasons(
    rows: list[Row], changes: list[Change]
) -> None:
    held = filled(rows)
    made = Plan(len(held), tuple(changes))
    if consolidation.check(made, held, SMALL):
        return
    by_key = {one.key: one for one in held}
    assert made.left >= min(SMALL.target, len(held))
    for change in made.changes:
        assert change.reason.strip()
        assert len({(by_key[key].refs, by_key[key].tags) for key in change.keys}) == 1
    keys = [key for change in made.changes for key in change.keys]
    assert len(keys) == len(set(keys))
