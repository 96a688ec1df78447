"""A decision: what may be said, and that the first one counts."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.errors import BadInput, Conflict, FieldTooLong, NotFound
from memory_core.proposals.decision import Decision, decide, parse_numbers
from tests.proposals.conftest import Place, add, drop, revise


@settings(deadline=None)
@given(st.sets(st.integers(1, 30), min_size=1))
def test_numbers_written_out_come_back(numbers: set[int]) -> None:
    text = ", ".join(map(str, sorted(numbers, reverse=True)))
    assert parse_numbers(text, range(1, 31)) == tuple(sorted(numbers))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1,3-5", (1, 3, 4, 5)),
        (" 2 - 3 ; 7", (2, 3, 7)),
        ("1–2", (1, 2)),
        ("", ()),
        ("4 4,4", (4,)),
    ],
)
def test_ranges_and_separators(text: str, numbers: tuple[int, ...]) -> None:
    assert parse_numbers(text, range(1, 8)) == numbers


@pytest.mark.parametrize(
    ("text", "said"),
    [("8", "no item 8"), ("1,x", "'x' is no number"), ("5-3", "backwards"), ("0", "no item 0"),
     ("1-9", "no item 1-9"), ("-1", "no number"), ("1.5", "no number"), ("9" * 50, "no item")],
)  # fmt: skip
def test_numbers_that_are_not_there_are_named(text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        parse_numbers(text, range(1, 8))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"choice": ""}, "empty"),
        ({"choice": "apply"}, "'apply' is no decision"),
        ({"choice": "apply chosen"}, "no number is chosen"),
        ({"choice": "apply chosen", "chosen": (3,)}, "no item 3"),
        ({"choice": "apply all", "chosen": (1,)}, "takes no numbers"),
        ({"choice": "apply none", "never": (9,)}, "no item 9"),
        ({"choice": "apply chosen", "chosen": (1,), "never": (1,)}, "both"),
        ({"choice": "reject run", "never": (1,)}, "offers everything again"),
        ({"choice": "apply chosen", "chosen": (1,), "edits": {2: "x"}}, "not chosen"),
        ({"choice": "apply all", "edits": {2: "x"}}, "has no text to edit"),
        ({"choice": "apply all", "edits": {1: " "}}, "is empty"),
        ({"choice": "apply all", "edits": {7: "x"}}, "no item 7"),
        ({"choice": "apply all", "surface": "agent"}, "no surface"),
    ],
)
def test_a_decision_that_does_not_hold_is_refused_and_nothing_is_stored(
    place: Place, values: dict[str, Any], said: str
) -> None:
    proposal = place.offer(add("alpha.md", "three", value=2.0), drop("alpha.md", "- one"))
    with pytest.raises(BadInput, match=said):
        place.decide(proposal.id, **values)
    assert place.get(proposal.id) == proposal


def test_the_same_decision_again_is_harmless_and_another_is_refused(place: Place) -> None:
    proposal = place.offer(add("alpha.md", "three"))
    first = place.decide(proposal.id, surface="UI", comment="fine")
    assert first.state == "decided"
    assert place.decide(proposal.id, surface="terminal") == first
    with pytest.raises(Conflict, match=r"decided already: apply all at 20.* via UI"):
        place.decide(proposal.id, "apply none")
    place.apply(proposal.id)
    with pytest.raises(Conflict, match="decided already"):
        place.decide(proposal.id, "reject run")
    assert place.decide(proposal.id).state == "applied"


def test_of_two_people_who_decide_at_once_one_is_told_so(place: Place) -> None:
    proposal = place.offer(add("alpha.md", "three"))
    outcomes: list[str] = []

    def try_it(choice: Any) -> None:
        try:
            decide(place.database, proposal.id, Decision(choice))
            outcomes.append("decided")
        except Conflict:
            outcomes.append("refused")

    threads = [threading.Thread(target=try_it, args=(c,)) for c in ("apply all", "apply none")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["decided", "refused"]


def test_a_proposal_that_does_not_wait_is_not_decided(place: Place) -> None:
    with pytest.raises(Conflict, match="is drafting"):
        place.decide(place.open())
    with pytest.raises(Conflict, match="is empty"):
        place.decide(place.offer().id)
    with pytest.raises(NotFound):
        place.decide(99)


def test_an_edited_text_is_cleaned_applied_and_named_in_the_ledger(place: Place) -> None:
    proposal = place.offer(add("alpha.md", "three"), revise("alpha.md", "- two", "- zwei"))
    place.decide(proposal.id, edits={1: "three\u200b, as I would say\n", 2: "- zwei"})
    place.apply(proposal.id)
    assert "- three, as I would say\n" in place.read("alpha.md")
    second, first = place.entries("alpha.md")
    assert "edited" in first.reason and "edited" not in second.reason
    assert place.get(proposal.id).items[0].detail["proposed"] == "three"


def test_an_edit_passes_caps_and_secrets(place: Place) -> None:
    tea = add("user:ada:tea", "likes tea", detail={"description": "tea"})
    proposal = place.offer(tea)
    with pytest.raises(FieldTooLong, match="2001"):
        place.decide(proposal.id, edits={1: "x" * 2001})
    with pytest.raises(BadInput, match="secret"):
        place.decide(proposal.id, edits={1: "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"})
    assert place.get(proposal.id).items[0].after == "likes tea"


def test_the_cap_counts_what_is_chosen_together(place: Place) -> None:
    place.write("MEMORY.md", "- " + "x" * 2900 + "\n")
    proposal = place.offer(
        *(add("MEMORY.md", letter * 60, kind="always-loaded") for letter in "ab")
    )
    with pytest.raises(BadInput, match=r"with item 2, MEMORY.md would be 3,\d+ characters"):
        place.decide(proposal.id)
    assert place.get(proposal.id).state == "open"
    place.decide(proposal.id, "apply chosen", chosen=(2,))
    assert place.apply(proposal.id).applied == (2,)


def test_apply_all_leaves_out_what_is_never_wanted(place: Place) -> None:
    proposal = place.offer(add("alpha.md", "three", value=2.0), drop("alpha.md", "- one"))
    place.decide(proposal.id, never=(2,))
    outcome = place.apply(proposal.id)
    assert (outcome.applied, outcome.rejected) == ((1,), (2,))


def test_apply_all_means_what_was_open_when_it_was_said(place: Place) -> None:
    proposal = place.offer(add("alpha.md", "three"), add("beta.md", "# B\n\n- b"))
    path = place.write("beta.md", "- somebody was faster\n")
    from memory_core.proposals import queue

    queue.refresh(place.database, place.root, place.settings)
    place.decide(proposal.id)
    path.unlink()
    queue.refresh(place.database, place.root, place.settings)
    assert place.apply(proposal.id).applied == (1,)


def test_a_stale_item_that_is_chosen_all_the_same_is_conflicted(place: Place) -> None:
    proposal = place.offer(add("alpha.md", "three"), drop("beta.md", "- b"))
    place.decide(proposal.id, "apply chosen", chosen=(1, 2))
    outcome = place.apply(proposal.id)
    assert (outcome.applied, outcome.conflicted) == ((1,), (2,))
