"""A plan merges what is the same, drops what is replaced, and is refused whole when it overreaches."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.banks.bank import BankId
from memory_core.banks.caps import Caps
from memory_core.banks.memory import EntityRef, Memory, Tag
from memory_core.errors import BadInput
from memory_core.routines import consolidation
from memory_core.routines.consolidation import Change, Plan

BANK = BankId("ada", "shop")
START = datetime(2026, 10, 1, tzinfo=UTC)
SMALL = Caps(hard=8, soft=4, target=2)


def memory(
    key: str,
    content: str,
    *,
    day: int = 0,
    refs: tuple[str, ...] = (),
    tags: tuple[str, ...] = (),
    bank: BankId = BANK,
) -> Memory:
    at = START + timedelta(days=day)
    return Memory(
        bank, key, f"About {key}", content, tuple(EntityRef("project", ref) for ref in refs),
        tuple(Tag("domain", tag) for tag in tags), 1, at, at,
    )  # fmt: skip


def bank(*first: Memory, size: int = 10) -> list[Memory]:
    """Those memories among others that are all distinct."""
    names = "amber birch cedar delta ember fjord grove heron inlet jetty kiosk linen maple north".split()
    rest = [
        memory(f"{name}-rule", f"The {name} team meets in room {at + 11}.")
        for at, name in enumerate(names)
    ]
    return [*first, *rest[: size - len(first)]]


def test_equal_texts_become_one_under_the_key_that_others_link() -> None:
    held = bank(
        memory("deploy-day", "Deploys go out on Tuesday.", day=1),
        memory("release-day", "deploys go out on  TUESDAY", day=3),
        memory("hotfix", "Hotfixes are not bound to [[deploy-day]].", day=2),
    )
    made = consolidation.plan(held, SMALL)
    (change,) = made.changes
    assert (change.action, change.keys) == ("merge", ("deploy-day", "release-day"))
    assert change.content == "deploys go out on  TUESDAY"
    assert consolidation.check(made, held, SMALL) == []


def test_a_text_that_stands_in_another_one_is_merged_into_it() -> None:
    held = bank(
        memory("short", "Invoices close on the 25th."),
        memory("long", "Invoices close on the 25th. They go to Tamura."),
    )
    (change,) = consolidation.plan(held, SMALL).changes
    assert change.keys == ("long", "short")


def test_a_sentence_does_not_stand_in_its_negation() -> None:
    held = bank(memory("yes", "use tabs"), memory("no", "do not use tabs. Spaces only."))
    assert consolidation.plan(held, SMALL).changes == ()


@pytest.mark.parametrize("other", [{"refs": ("beta",)}, {"tags": ("billing",)}])
def test_the_same_text_in_another_place_is_not_the_same_memory(
    other: dict[str, tuple[str, ...]],
) -> None:
    text = "Deploys go out on Tuesday."
    held = bank(memory("one", text), memory("two", text, **other))
    assert consolidation.plan(held, SMALL).changes == ()
    forced = Plan(len(held), (Change("merge", ("one", "two"), "the same text", text, "About one"),))
    assert "apply in different places" in "\n".join(consolidation.check(forced, held, SMALL))


def test_what_a_newer_memory_says_it_replaces_is_dropped_with_its_words_as_the_reason() -> None:
    held = bank(
        memory("build-poetry", "Builds use Poetry 1.8."),
        memory("build-uv", "Builds use uv 0.8. Replaces [[build-poetry]].", day=9),
    )
    (change,) = consolidation.plan(held, SMALL).changes
    assert (change.action, change.keys) == ("drop", ("build-poetry",))
    assert "Replaces [[build-poetry]]" in change.reason
    assert consolidation.check(consolidation.plan(held, SMALL), held, SMALL) == []


def test_when_the_replacing_memory_is_gone_the_replaced_one_stays() -> None:
    older = memory("build-poetry", "Builds use Poetry 1.8.")
    newer = memory("build-uv", "Builds use uv 0.8. Replaces [[build-poetry]].", day=9)
    assert consolidation.plan(bank(older, newer), SMALL).changes
    held = bank(older)
    assert consolidation.plan(held, SMALL).changes == ()
    told = Plan(len(held), (Change("drop", ("build-poetry",), "[[build-uv]] replaces Poetry"),))
    assert consolidation.check(told, held, SMALL) == [
        "change 1 rests on [[build-uv]], which is not there"
    ]


def test_nothing_is_dropped_on_the_account_of_a_memory_that_goes_itself() -> None:
    held = bank(
        memory("first", "Use make."),
        memory("second", "Use just. Replaces [[first]].", day=1),
        memory("third", "Use task. Replaces [[second]].", day=2),
    )
    (change,) = consolidation.plan(held, SMALL).changes
    assert change.keys == ("second",)
    both = Plan(len(held), (change, Change("drop", ("first",), "[[second]] replaces make")))
    assert consolidation.check(both, held, SMALL) == [
        "change 2 rests on [[second]], which the plan removes"
    ]


def test_an_older_memory_replaces_nothing() -> None:
    held = bank(
        memory("old", "Use just. Replaces [[new]].", day=1), memory("new", "Use make.", day=5)
    )
    assert consolidation.plan(held, SMALL).changes == ()


def test_a_bank_of_distinct_memories_latches_and_says_so() -> None:
    held = bank(size=6)
    made = consolidation.plan(held, SMALL)
    assert made.changes == () and made.latches(SMALL)
    assert made.notice.startswith("no plan gets under the soft limit: 6 of 6")
    assert not consolidation.plan(bank(size=4), SMALL).latches(SMALL)


def test_a_plan_keeps_the_target_also_where_all_is_the_same() -> None:
    held = [memory(f"copy-{at}", "Deploys go out on Tuesday.", day=at) for at in range(8)]
    made = consolidation.plan(held, SMALL)
    assert made.left >= SMALL.target
    assert consolidation.check(made, held, SMALL) == []


def test_two_banks_have_two_plans() -> None:
    with pytest.raises(BadInput, match="one bank"):
        consolidation.plan([memory("a", "x"), memory("b", "y", bank=BankId(None, "shop"))])


GREEDY = [Change("drop", (f"{name}-rule",), f"the {name} team is of no use")
          for name in "amber birch cedar delta ember fjord grove heron inlet".split()]  # fmt: skip


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
            Change("merge", ("amber-rule", "birch-rule"), "amber and birch rooms",
                   "The amber team meets in room 11, the birch team in room 12, on Friday.",
                   "amber birch"),
            "invents in its content: Friday",
        ),
        (
            Change("merge", ("amber-rule", "birch-rule"), "amber and birch rooms",
                   "The amber team and the birch team meet in room 11.", "amber birch"),
            "loses of birch-rule: 12",
        ),
        (
            Change("merge", ("amber-rule", "birch-rule"), "amber and birch rooms",
                   "The amber team meets in room 11, 12.", "amber"),
            "loses of birch-rule: birch",
        ),
        (
            Change("merge", ("amber-rule", "birch-rule"), "amber and birch rooms",
                   "amber birch team meets room 11 12 " * 80, "amber"),
            "the cap is 2000",
        ),
    ],
)  # fmt: skip
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
    colour = Change("merge", ("colour-a", "colour-b"), "colour twice", "My favourite colour is cyan.",
                    "favourite colour")  # fmt: skip
    found = "\n".join(consolidation.check(Plan(len(held), (taste, colour)), held, SMALL))
    assert "change 1 merges opposites" in found
    assert "change 2 loses of colour-a: purple" in found


def test_a_good_merge_by_somebody_else_is_accepted_and_shows_all_its_texts() -> None:
    held = bank(
        memory("room-red", "Reviews are in the red room."),
        memory("time-reviews", "Reviews begin at 09:30."),
    )
    change = Change("merge", ("room-red", "time-reviews"), "both are about reviews",
                    "Reviews are in the red room and begin at 09:30.", "Reviews: room, time")  # fmt: skip
    made = Plan(len(held), (change,))
    assert consolidation.check(made, held, SMALL) == []
    (item,) = consolidation.items(made, held)
    assert (item.action, item.kind, item.target) == ("merge", "memory", held[0].id)
    assert item.detail["merges"] == [held[1].id]
    assert set(item.detail["texts"].values()) == {held[0].content, held[1].content}


@pytest.mark.parametrize(
    "document",
    [None, [], {}, {"changes": "all"}, {"changes": [1]}, {"changes": [{"action": "burn", "keys": []}]},
     {"changes": [{"action": "drop", "keys": "amber-rule"}]},
     {"changes": [{"action": "drop", "keys": [1], "reason": "x"}]},
     {"changes": [{"action": "drop", "keys": ["a"], "reason": ["x"]}]}],
)  # fmt: skip
def test_a_malformed_plan_is_refused_by_name(document: object) -> None:
    with pytest.raises(BadInput):
        consolidation.read(document, bank())


def test_what_is_read_is_what_was_written() -> None:
    row = {"action": "drop", "keys": ["amber-rule"], "reason": "the amber team is gone"}
    made = consolidation.read({"changes": [row]}, bank())
    assert made == Plan(10, (Change("drop", ("amber-rule",), "the amber team is gone"),))


WORDS = st.lists(st.sampled_from("tea box red 7 10:30 not [[k1]] replaces a/b.md run X-9 é".split()), min_size=1, max_size=6)  # fmt: skip
BANKS = st.lists(
    st.builds(lambda words, day, ref: (" ".join(words), day, ref), WORDS, st.integers(0, 5), st.sampled_from(["", "p", "q"])),
    min_size=1, max_size=12,
)  # fmt: skip


def filled(rows: list[tuple[str, int, str]]) -> list[Memory]:
    return [memory(f"k{at}", text, day=day, refs=(ref,) if ref else ())
            for at, (text, day, ref) in enumerate(rows)]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(BANKS)
def test_whatever_a_bank_holds_the_plan_without_a_model_is_sound(
    rows: list[tuple[str, int, str]],
) -> None:
    held = filled(rows)
    made = consolidation.plan(held, SMALL)
    assert consolidation.check(made, held, SMALL) == []
    assert made.left >= min(SMALL.target, len(held))
    assert consolidation.plan(held, SMALL) == made
    named = {key for change in made.changes for key in change.removed}
    shown = {key for item in consolidation.items(made, held)
             for key in (item.detail.get("merges") or [item.target])}  # fmt: skip
    assert {f"{BANK}:{key}" for key in named} == shown


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
    rows: list[tuple[str, int, str]], changes: list[Change]
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
