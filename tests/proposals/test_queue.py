"""The queue respects a person's patience: few items, the best, each once, nothing forgotten."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory_core.banks.bank import BankId
from memory_core.banks.banks import open_banks
from memory_core.banks.memory import Draft
from memory_core.banks.writer import By
from memory_core.errors import BadInput, FieldTooLong, NotFound
from memory_core.proposals import bookmark, queue
from memory_core.proposals.item import Evidence, Item
from memory_core.proposals.proposal import Proposal
from tests.proposals.conftest import NOTE, SAID, Place, add, drop, move, revise

WORDS = ("maple", "birch", "cedar", "willow", "aspen", "hazel", "rowan", "alder", "beech", "elder")


def many(count: int, target: str = "alpha.md") -> list[Item]:
    """Different findings of rising value."""
    return [add(target, f"{WORDS[n]} is tree {n}", value=float(n)) for n in range(count)]


def shown(proposal: Proposal) -> list[tuple[int, str, str]]:
    return [(item.number, item.state, item.title.split()[0]) for item in proposal.items]


def test_a_run_opened_again_gets_its_frozen_window(place: Place) -> None:
    named: dict[str, Any] = {"routine": "dream", "subject": "vault", "user": "ada", "scope": "s"}
    first = queue.open_run(place.database, run="r", window={"since": 0, "until": 5}, **named)
    again = queue.open_run(place.database, run="r", window={"since": 5, "until": 9}, **named)
    assert (again.id, again.window, again.state) == (first.id, {"since": 0, "until": 5}, "drafting")


def test_seven_of_a_run_get_a_number_by_value_and_the_rest_is_kept(place: Place) -> None:
    proposal = place.offer(*many(9))
    assert shown(proposal) == [(n, "open", WORDS[9 - n]) for n in range(1, 8)] + [
        (0, "skipped", "birch"),
        (0, "skipped", "maple"),
    ]
    assert proposal.items[0].base and proposal.items[0].provenance == "user"


def test_a_consolidation_may_offer_thirty(place: Place) -> None:
    items = [
        add(f"user:ada:key-{n}", f"fact {n} about {n}", detail={"description": f"about {n}"})
        for n in range(32)
    ]
    proposal = place.offer(*items, routine="consolidation", subject="user:ada", versions={})
    assert len(proposal.open) == 30


def test_the_same_offer_again_changes_nothing(place: Place) -> None:
    proposal = place.offer(*many(2))
    assert place.fill(proposal.id, many(9)) == proposal


def test_what_was_left_comes_first_in_the_next_run_of_the_routine(place: Place) -> None:
    first = place.offer(*many(9))
    place.decide(first.id, "apply chosen", chosen=(1,))
    place.apply(first.id)
    other = place.offer(add("alpha.md", "a dream", value=99.0), routine="dream")
    assert len(other.items) == 1
    second = place.offer(add("alpha.md", "fresh and of high value", value=99.0))
    titles = [item.title.split()[0] for item in second.numbered]
    assert titles == [WORDS[n] for n in (7, 6, 5, 4, 3, 2, 1)]
    assert all(item.carried for item in second.numbered)
    assert [item.title for item in second.items if not item.number] == ["fresh and of high value"]
    place.decide(second.id, "apply all")
    place.apply(second.id)
    third = place.offer()
    assert [item.title.split()[0] for item in third.numbered] == ["fresh", "maple"]


def test_another_users_leftovers_are_not_offered(place: Place) -> None:
    first = place.offer(*many(2))
    place.decide(first.id, "apply none")
    place.apply(first.id)
    bob = queue.open_run(
        place.database, routine="wrap", subject="b", run="bob", user="bob", scope="s", window={}
    )
    assert place.fill(bob.id, []).state == "empty"


def test_a_conflicted_item_whose_piece_still_stands_is_offered_again(place: Place) -> None:
    first = place.offer(revise("alpha.md", "- one", "- eins"))
    place.write("alpha.md", NOTE + "- mine\n")
    place.decide(first.id)
    place.apply(first.id)
    (item,) = place.offer().items
    assert (item.state, item.carried) == ("open", first.items[0].id)
    place.decide(2)
    assert place.apply(2).applied == (1,)


def test_a_newer_run_takes_over_an_undecided_one_of_the_same_subject(place: Place) -> None:
    old = place.offer(*many(2), subject="s", until=5)
    queue.wait_at(place.database, old.id, "flow-1")
    other = place.offer(add("alpha.md", "stays"), subject="t")
    new = place.offer(add("alpha.md", "brand new", value=50.0), subject="s", until=9)
    assert place.get(old.id).state == "superseded"
    assert {item.state for item in place.get(old.id).items} == {"superseded"}
    assert shown(new) == [(1, "open", "birch"), (2, "open", "maple"), (3, "open", "brand")]
    assert [item.carried is not None for item in new.items] == [True, True, False]
    assert place.get(other.id).state == "open"
    assert queue.superseded_runs(place.database) == ["flow-1"]
    queue.cancelled(place.database, "flow-1")
    assert queue.superseded_runs(place.database) == []


def test_carried_items_that_do_not_fit_are_kept_for_later(place: Place) -> None:
    place.offer(*many(7), subject="s")
    new = place.offer(*many(10)[7:], subject="s")
    assert len(new.open) == 7
    assert len(new.items) == 10


def test_an_older_run_that_offers_late_gives_way_to_the_newer(place: Place) -> None:
    old, new = place.open(subject="s"), place.open(subject="s")
    place.fill(new, [add("alpha.md", "from the newer")])
    late = place.fill(old, [add("alpha.md", "found late by the older")])
    assert (late.state, late.open) == ("superseded", ())
    assert place.get(new).state == "open"
    place.decide(new)
    place.apply(new)
    assert [item.title for item in place.offer().numbered] == ["found late by the older"]


def test_the_same_finding_comes_once_with_the_evidence_of_both(place: Place) -> None:
    other = (Evidence("session-2", 8, "agent", "again"),)
    proposal = place.offer(
        add("alpha.md", "Run the tests with -x", value=2.0),
        add("alpha.md", "run the TESTS with -x", evidence=other),
        add("beta.md", "Run the tests with -x"),
    )
    assert len(proposal.items) == 2
    assert [piece.session for piece in proposal.items[0].evidence] == ["session-2", "session-1"]


def test_nearly_the_same_words_about_one_target_are_one_finding(place: Place) -> None:
    words = "deploy with make ship on friday before noon from main"
    proposal = place.offer(add("alpha.md", words), add("alpha.md", f"{words} only"))
    assert len(proposal.items) == 1


def test_what_waits_in_another_proposal_is_not_offered_twice(place: Place) -> None:
    place.offer(add("alpha.md", "three"))
    second = place.offer(add("alpha.md", "three"))
    assert second.state == "empty"
    assert "wait in another proposal" in second.notices[0]


def test_what_the_target_says_already_is_not_offered(place: Place) -> None:
    assert place.offer(add("alpha.md", "* Two")).items == ()


def test_never_again_is_remembered_until_there_is_new_evidence(place: Place) -> None:
    words = "always deploy with make ship on fridays"
    first = place.offer(add("alpha.md", words))
    place.decide(first.id, "apply none", never=(1,))
    place.apply(first.id)
    assert place.get(first.id).items[0].state == "rejected"
    again = place.offer(add("alpha.md", words.upper()), routine="dream")
    assert (again.items, again.state) == ((), "empty")
    assert "never wanted" in again.notices[0]
    later = (datetime.now(UTC) + timedelta(seconds=1)).isoformat()
    said = (*SAID, replace(SAID[0], turn=9, at=later))
    assert len(place.offer(add("alpha.md", words, evidence=said)).open) == 1


def test_a_skipped_item_is_not_a_rejected_one(place: Place) -> None:
    first = place.offer(add("alpha.md", "three"), add("alpha.md", "quite another thing"))
    place.decide(first.id, "apply chosen", chosen=(1,))
    place.apply(first.id)
    assert [item.state for item in place.get(first.id).items] == ["applied", "skipped"]


def test_a_rejected_run_offers_its_window_again_and_forgets_nothing_it_carried(
    place: Place,
) -> None:
    kept = place.offer(add("alpha.md", "left from before"))
    place.decide(kept.id, "apply none")
    place.apply(kept.id)
    run = place.offer(add("alpha.md", "found in this window"), subject="s", since=0, until=9)
    assert len(run.open) == 2
    place.decide(run.id, "reject run")
    assert place.apply(run.id).rejected == ()
    assert bookmark.position(place.database, "wrap", "s") == 0
    again = place.offer(add("alpha.md", "found in this window"), subject="s", since=0, until=9)
    assert [item.title for item in again.open] == ["left from before", "found in this window"]


def test_nothing_to_offer_is_empty_and_moves_the_bookmark(place: Place) -> None:
    proposal = place.offer(subject="s", since=0, until=7)
    assert proposal.state == "empty"
    assert bookmark.position(place.database, "wrap", "s") == 7


def test_a_failed_run_leaves_the_bookmark(place: Place) -> None:
    number = place.open(subject="s", since=0, until=7)
    failed = queue.fail(place.database, number, "the model answered 429")
    assert (failed.state, failed.notices) == ("failed", ("the model answered 429",))
    assert bookmark.position(place.database, "wrap", "s") == 0


@pytest.mark.parametrize(
    ("item", "said"),
    [
        (revise("beta.md", "- b", "- c"), "beta.md is not there"),
        (revise("alpha.md", "- nine", "- c"), "no longer stands there"),
        (revise("double.md", "- same", "- c"), "stands there 2 times"),
        (add("MEMORY.md", "x" * 200, kind="always-loaded"), "would be 3,1"),
        (drop("user:ada:nothing", "", kind="memory", title="t"), "is not there"),
        (add("user:ada:tea", "x", detail={"description": "d"}), "is there already"),
        (add("ALPHA.md", "# A"), "upper and lower case"),
        (move("alpha.md", "- one", "MEMORY.md", detail={}), ""),
    ],
)
def test_what_cannot_be_applied_is_stale_at_once(place: Place, item: Item, said: str) -> None:
    place.write("double.md", "- same\n\n## More\n\n- same\n")
    place.write("MEMORY.md", "- " + "m" * 2950 + "\n")
    banks = open_banks(place.settings, place.database)
    banks.remember(BankId("ada", None), Draft("tea", "tea", "likes tea"), By("user"))
    offered = place.offer(item, add("alpha.md", "sound"))
    (found,) = [one for one in offered.items if one.title == item.title]
    assert said in found.reason
    assert found.state == ("stale" if said else "open")


def test_a_full_bank_takes_no_new_key(place: Place) -> None:
    banks = open_banks(place.settings, place.database)
    with banks.writing() as writer:
        for number in range(50):
            writer.remember(BankId("ada", None), Draft(f"k{number}", "d", "c"), By("user"))
    proposal = place.offer(add("user:ada:new", "n", detail={"description": "n"}))
    assert "bank is full" in proposal.items[0].reason


def test_an_item_whose_target_moves_is_stale_at_once_and_open_again_when_it_comes_back(
    place: Place,
) -> None:
    proposal = place.offer(add("alpha.md", "three"), add("beta.md", "# B\n\n- b"))
    refreshed = lambda: queue.refresh(place.database, place.root, place.settings)  # noqa: E731
    assert refreshed() == 0
    place.write("alpha.md", NOTE + "- mine\n")
    place.write("beta.md", "- somebody was faster\n")
    (waiting,) = queue.waiting(place.database, user="ada", root=place.root, settings=place.settings)
    assert [(item.state, item.reason) for item in waiting.items] == [
        ("stale", "alpha.md was changed meanwhile"), ("stale", "beta.md is there meanwhile"),
    ]  # fmt: skip
    (place.root / "alpha.md").unlink()
    refreshed()
    assert place.get(proposal.id).items[0].reason == "alpha.md is gone"
    place.write("alpha.md", NOTE)
    assert refreshed() == 1
    assert [item.state for item in place.get(proposal.id).items] == ["open", "stale"]


def test_secrets_do_not_get_in(place: Place) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    said = (Evidence("s", 1, "tool", f"GITHUB_TOKEN={token}"),)
    proposal = place.offer(
        add("alpha.md", f"the token is {token}"),
        add("alpha.md", "the token is in the vault of the team", evidence=said, title=f"t {token}"),
    )
    (item,) = proposal.items
    assert token not in str(proposal)
    assert "redacted" in item.evidence[0].quote
    assert "1 item(s) left out" in proposal.notices[0]


def test_invisible_characters_do_not_get_in(place: Place) -> None:
    (item,) = place.offer(add("alpha.md", "plain\u200b \u202etext\x07", title="a\u2066b")).items
    assert (item.after, item.title) == ("plain text", "ab")


@pytest.mark.parametrize(
    ("item", "said"),
    [
        (add("../out.md", "x"), "leaves the vault"),
        (add("/etc/x.md", "x"), "leaves the vault"),
        (add(".git/x.md", "x"), "hidden"),
        (add("x.txt", "x"), "not a Markdown file"),
        (add("x.md", " \u200b", title="t"), "is empty"),
        (add("x.md", "y", title=" "), "no title"),
        (revise("x.md", "", "y"), "needs the piece"),
        (drop("x.md", " \n"), "needs the piece"),
        (move("x.md", "y", "x.md"), "another note"),
        (move("x.md", "y", "../z.md"), "leaves the vault"),
        (add("nobody:ada:k", "x", kind="memory"), "no bank's id"),
        (Item("merge", "memory", "user:ada:k", "t", after="x"), "what it merges"),
        (Item("merge", "note", "x.md", "t", after="x"), "not merged"),
        (Item("burn", "note", "x.md", "t"), "no action"),  # type: ignore[arg-type]
        (add("x.md", "y", value=float("nan")), "value is nan"),
        (add("x.md", "y", evidence=(Evidence("s", 1, "rumour", "q"),)), "source"),  # type: ignore[arg-type]
    ],
)
def test_a_malformed_item_is_refused_and_named(place: Place, item: Item, said: str) -> None:
    number = place.open()
    with pytest.raises(BadInput, match=said):
        place.fill(number, [add("alpha.md", "fine"), item])
    assert place.get(number).state == "drafting"
    assert place.get(number).items == ()


def test_an_overlong_text_is_refused_with_its_cap(place: Place) -> None:
    item = add("user:ada:k", "x" * 2001, detail={"description": "d"})
    with pytest.raises(BadInput, match="2001 characters, the cap is 2000"):
        place.fill(place.open(), [item])
    assert issubclass(FieldTooLong, BadInput)


def test_an_unknown_proposal_is_not_found(place: Place) -> None:
    for number in (0, 99, 2**70, -1):
        with pytest.raises(NotFound):
            place.get(number)


def test_listed_shows_the_newest_first(place: Place) -> None:
    for _ in range(3):
        place.offer()
    assert [proposal.id for proposal in queue.listed(place.database, limit=2)] == [3, 2]
