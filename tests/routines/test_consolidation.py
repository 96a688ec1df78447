"""Without a model a plan merges what is the same and drops what is said to be replaced."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from memory_core.banks.bank import BankId
from memory_core.errors import BadInput
from memory_core.routines import consolidation
from memory_core.routines.consolidation import Change, Plan
from tests.routines.holding import BANK, BANKS, SMALL, Row, bank, filled, memory


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


@settings(max_examples=150, deadline=None)
@given(BANKS)
def test_whatever_a_bank_holds_the_plan_without_a_model_is_sound(
    rows: list[Row],
) -> None:
    held = filled(rows)
    made = consolidation.plan(held, SMALL)
    assert consolidation.check(made, held, SMALL) == []
    assert made.left >= min(SMALL.target, len(held))
    assert consolidation.plan(held, SMALL) == made
    named = {key for change in made.changes for key in change.removed}
    shown = {
        key
        for item in consolidation.items(made, held)
        for key in (item.detail.get("merges") or [item.target])
    }
    assert {f"{BANK}:{key}" for key in named} == shown
