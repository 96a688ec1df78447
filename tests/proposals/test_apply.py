"""Applying a decision: what changes, what stays, what is said."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from memory_core.banks.bank import BankId
from memory_core.banks.banks import open_banks
from memory_core.banks.memory import Draft
from memory_core.banks.writer import By
from memory_core.errors import Conflict, VaultError
from memory_core.proposals import bookmark
from memory_core.proposals.apply import drain
from memory_core.proposals.proposal import row_of
from memory_core.proposals.snapshot import restored
from tests.proposals.conftest import HEAD, NOTE, Place, add, drop, move, revise

BY = By("user", "test")
TODAY = "updated: 20"


def body(text: str) -> str:
    return text.partition("---\n\n")[2]


def test_an_item_that_was_not_possible_when_offered_is_stale_and_left_alone(place: Place) -> None:
    proposal = place.offer(add("alpha.md", "three"), revise("alpha.md", "- three", "- 3", value=2))
    assert [(item.number, item.state) for item in proposal.items] == [(1, "open"), (2, "stale")]
    place.decide(proposal.id)
    assert place.apply(proposal.id).applied == (1,)
    assert place.get(proposal.id).items[1].state == "stale"


def test_a_file_gets_one_write_and_each_item_an_entry(place: Place) -> None:
    outcome = place.accept(add("alpha.md", "three"), drop("alpha.md", "- one"))
    assert outcome.applied == (1, 2)
    assert outcome.files == ("alpha.md",)
    assert body(place.read("alpha.md")) == "# Alpha\n\n- two\n- three\n"
    second, first = place.entries("alpha.md")
    assert (first.action, second.action) == ("add", "drop")
    assert restored(first.before).text == NOTE
    assert first.after == second.before
    assert restored(second.after).text == place.read("alpha.md")
    assert {first.proposal, second.proposal} == {"1"}


def test_an_approved_change_moves_updated_and_nothing_else_of_the_front_matter(
    place: Place,
) -> None:
    place.accept(add("alpha.md", "three"))
    head, wanted = place.read("alpha.md").partition("# Alpha")[0], HEAD
    assert "2024-01-31" not in head
    assert head.replace(head[head.index("updated") :][:19], "updated: 2024-01-31") == wanted


def test_a_new_note_gets_front_matter_from_its_detail(place: Place) -> None:
    detail = {"key": "beta", "description": "what: beta", "tags": ["x", "y z"], "scope": ["shop"]}
    place.accept(add("deep/beta.md", "# Beta\n\n- new", detail=detail))
    text = place.read("deep/beta.md")
    assert text.startswith(
        "---\nkey: beta\ndescription: 'what: beta'\nscope:\n- shop\ntags:\n- x\n- y z\nupdated: 2"
    )
    assert text.endswith("---\n\n# Beta\n\n- new\n")


def test_a_new_note_that_brings_front_matter_keeps_it(place: Place) -> None:
    place.accept(add("beta.md", "---\nkey: own\n---\n\n- new"))
    assert place.read("beta.md") == "---\nkey: own\n---\n\n- new\n"


def test_an_always_loaded_file_that_is_not_there_is_made_without_front_matter(
    place: Place,
) -> None:
    place.accept(add("MEMORY.md", "- be brief", kind="always-loaded"))
    assert place.read("MEMORY.md") == "- be brief\n"


def test_a_moved_point_arrives_verbatim(place: Place) -> None:
    place.write("MEMORY.md", "# Always\n\n- keep\n- a  story,\n  in two lines\n")
    place.write("long.md", "# Long\n\n- told\n")
    outcome = place.accept(
        move("MEMORY.md", "- a  story,\n  in two lines", "long.md", kind="always-loaded")
    )
    assert outcome.files == ("MEMORY.md", "long.md")
    assert place.read("MEMORY.md") == "# Always\n\n- keep\n"
    assert place.read("long.md") == "# Long\n\n- told\n- a  story,\n  in two lines\n"
    assert len(place.entries()) == 1


def test_crlf_a_byte_order_mark_and_broken_bytes_stay(place: Place) -> None:
    place.write("odd.md", b"\xef\xbb\xbf# Odd\r\n\r\n- caf\xe9\r\n- two\r\n- last")
    place.accept(revise("odd.md", "- two", "- zwei\n  lines"), add("odd.md", "more"))
    wanted = b"\xef\xbb\xbf# Odd\r\n\r\n- caf\xe9\r\n- zwei\r\n  lines\r\n- last\r\n- more"
    assert (place.root / "odd.md").read_bytes() == wanted


def test_the_mode_of_a_file_and_links_inside_the_vault_stay(place: Place) -> None:
    place.write("real/beta.md", "- one\n").chmod(0o640)
    (place.root / "MEMORY.md").symlink_to("real/beta.md")
    place.accept(add("MEMORY.md", "two", kind="always-loaded"))
    assert (place.root / "MEMORY.md").is_symlink()
    assert place.read("real/beta.md") == "- one\n- two\n"
    assert stat.S_IMODE((place.root / "real/beta.md").stat().st_mode) == 0o640


def test_a_link_out_of_the_vault_is_not_followed(place: Place, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("- mine\n")
    (place.root / "link.md").symlink_to(outside)
    (place.root / "folder").symlink_to(tmp_path)
    proposal = place.offer(add("alpha.md", "three"), add("beta.md", "# B\n\n- b"))
    (place.root / "beta.md").symlink_to(outside)
    place.decide(proposal.id)
    assert place.apply(proposal.id).conflicted == (2,)
    assert outside.read_text() == "- mine\n"
    assert not (tmp_path / "beta.md").exists()


@pytest.mark.parametrize("change", ["edited", "deleted", "renamed"])
def test_a_target_that_somebody_changed_is_conflicted_and_untouched(
    place: Place, change: str
) -> None:
    place.write("beta.md", "- b\n")
    proposal = place.offer(add("alpha.md", "three"), add("beta.md", "c"))
    path = place.root / "alpha.md"
    if change == "edited":
        path.write_text("- mine\n")
    elif change == "deleted":
        path.unlink()
    else:
        path.rename(place.root / "other.md")
    place.decide(proposal.id)
    outcome = place.apply(proposal.id)
    assert (outcome.applied, outcome.conflicted) == ((2,), (1,))
    assert place.read("beta.md") == "- b\n- c\n"
    assert not path.exists() or path.read_text() == "- mine\n"
    assert [entry.target for entry in place.entries()] == ["beta.md"]
    assert "alpha.md" in place.get(proposal.id).items[0].reason


def test_a_file_that_changes_between_transaction_and_write_is_taken_back_in_the_ledger(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write("beta.md", "- b\n")
    proposal = place.offer(add("alpha.md", "three"), add("beta.md", "c"), add("beta.md", "d"))
    place.decide(proposal.id)
    die_after_transaction(monkeypatch, place, proposal.id)
    place.write("beta.md", "- mine\n")
    (outcome,) = drain(place.database, place.root, place.settings)
    assert (outcome.applied, outcome.conflicted) == ((1,), (2, 3))
    assert outcome.files == ("alpha.md",)
    assert place.read("beta.md") == "- mine\n"
    taken_back = [entry for entry in place.entries("beta.md") if entry.action == "not written"]
    assert sorted(e.undoes for e in taken_back) == [
        item.ledger for item in place.get(proposal.id).items[1:]
    ]
    assert not list(place.root.rglob(".wellkept*"))


def test_a_move_whose_target_changed_meanwhile_takes_nothing_out_of_its_source(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write("MEMORY.md", "- keep\n- a story\n")
    proposal = place.offer(move("MEMORY.md", "- a story", "alpha.md", kind="always-loaded"))
    place.decide(proposal.id)
    die_after_transaction(monkeypatch, place, proposal.id)
    place.write("alpha.md", "- mine\n")
    (outcome,) = drain(place.database, place.root, place.settings)
    assert outcome.conflicted == (1,)
    assert place.read("MEMORY.md") == "- keep\n- a story\n"
    assert len(place.entries()) == 2


def die_after_transaction(monkeypatch: pytest.MonkeyPatch, place: Place, number: int) -> None:
    """Apply up to the commit of the transaction."""

    def dead(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("memory_core.proposals.owing.finish", dead)
        with pytest.raises(KeyboardInterrupt):
            place.apply(number)


def test_a_full_disk_in_the_vault_changes_nothing_and_a_repeat_finishes(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposal = place.offer(
        add("new/beta.md", "# B\n\n- b"), add("alpha.md", "three"),
        add("user:ada:tea", "likes tea", detail={"description": "tea"}),
        until=7,
    )  # fmt: skip
    place.decide(proposal.id)
    real, written = os.fsync, []

    def full(descriptor: int) -> None:
        written.append(descriptor)
        if len(written) == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(VaultError, match="No space left"):
            place.apply(proposal.id)
    assert place.read("alpha.md") == NOTE
    assert [path.name for path in place.root.iterdir()] == ["alpha.md"]
    assert place.entries() == []
    assert bookmark.position(place.database, "wrap", proposal.subject) == 0
    assert place.apply(proposal.id).applied == (1, 2, 3)
    assert bookmark.position(place.database, "wrap", proposal.subject) == 7


def test_a_full_file_system_changes_nothing(place: Place, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(small)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        (small / "alpha.md").write_text(NOTE)
        full = Place(place.database, small, place.settings)
        proposal = full.offer(add("alpha.md", "three"))
        full.decide(proposal.id)
        with (small / "filler").open("wb", buffering=0) as filler, pytest.raises(OSError):
            while True:
                filler.write(b"x" * 1024)
        with pytest.raises(VaultError, match="No space left"):
            full.apply(proposal.id)
        assert full.read("alpha.md") == NOTE
        assert full.entries() == []
        (small / "filler").unlink()
        assert full.apply(proposal.id).applied == (1,)
    finally:
        subprocess.run(["umount", str(small)], check=True)


def test_a_read_only_vault_is_named_and_nothing_changes(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposal = place.offer(add("alpha.md", "three"))
    place.decide(proposal.id)
    real = os.open

    def refuse(path: Any, flags: int, *more: Any, **named: Any) -> int:
        if str(path).startswith(str(place.root)) and flags & os.O_CREAT:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return real(path, flags, *more, **named)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        with pytest.raises(VaultError, match="Read-only"):
            place.apply(proposal.id)
    assert place.entries() == []
    assert place.apply(proposal.id).applied == (1,)


def test_memories_change_with_the_versions_they_were_offered_on(place: Place) -> None:
    banks, ada = open_banks(place.settings, place.database), BankId("ada", None)
    for key in ("tea", "cups", "mugs", "old"):
        banks.remember(ada, Draft(key, f"about {key}", f"{key} as it was"), BY)
    memory = {"kind": "memory"}
    proposal = place.offer(
        revise("user:ada:tea", "", "no tea", title="tea", **memory),
        drop("user:ada:old", "", title="old", **memory),
        add("user:ada:new", "something new", detail={"description": "new"}),
        move("user:ada:cups", "", "user:ada:shop", **memory),
        revise("user:ada:mugs", "", "no mugs", title="mugs", **memory),
    )
    assert [item.state for item in proposal.items] == ["open"] * 5
    banks.remember(ada, Draft("mugs", "about mugs", "mugs, newer"), BY)
    place.decide(proposal.id)
    assert place.apply(proposal.id).conflicted == (5,)
    found = {memory.key: memory.content for memory in banks.held([ada, BankId("ada", "shop")])}
    assert found == {
        "tea": "no tea", "new": "something new", "cups": "cups as it was", "mugs": "mugs, newer",
    }  # fmt: skip
    assert banks.get(ada, "tea").description == "about tea"


def test_a_merge_forgets_what_it_merged_or_does_nothing(place: Place) -> None:
    banks, ada = open_banks(place.settings, place.database), BankId("ada", None)
    for key in ("one", "two", "three"):
        banks.remember(ada, Draft(key, key, f"{key} as it was"), BY)

    def merge(*others: str) -> Any:
        from memory_core.proposals.item import Item
        from tests.proposals.conftest import SAID

        detail = {"merges": [f"user:ada:{key}" for key in others], "description": "joined"}
        return Item(
            "merge", "memory", "user:ada:one", "join", after="all of it", evidence=SAID,
            detail=detail,
        )  # fmt: skip

    proposal = place.offer(merge("one", "two", "three"))
    banks.remember(ada, Draft("three", "three", "newer"), BY)
    place.decide(proposal.id)
    assert place.apply(proposal.id).conflicted == (1,)
    assert {memory.key for memory in banks.held([ada])} == {"one", "two", "three"}
    assert place.accept(merge("one", "two", "three")).applied == (1,)
    assert [(memory.key, memory.content) for memory in banks.held([ada])] == [("one", "all of it")]


def test_one_record_wrapped_twice_and_approved_twice_is_one_record(place: Place) -> None:
    found = [
        add("alpha.md", "three"),
        add("user:ada:tea", "likes tea", detail={"description": "tea"}),
    ]
    first, second = (place.open(subject="s", since=0, until=5) for _ in range(2))
    place.fill(first, found)
    place.decide(first)
    place.apply(first)
    assert place.fill(second, found).state == "empty"
    with place.database.write() as session:  # as two runs that never saw each other
        row = row_of(session, second)
        row.state = "drafting"
        session.add(row)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("memory_core.proposals.selection.already", lambda *_: False)
        patch.setattr("memory_core.proposals.standing.trouble", lambda *_: "")
        patch.setattr("memory_core.proposals.selection.trouble", lambda *_: "")
        assert len(place.fill(second, found).open) == 2
        place.decide(second)
    assert place.apply(second).conflicted == ()
    assert body(place.read("alpha.md")) == "# Alpha\n\n- one\n- two\n- three\n"
    assert len(place.entries()) == 2
    assert len(open_banks(place.settings, place.database).held([BankId("ada", None)])) == 1


def test_what_is_there_already_when_it_is_applied_is_not_written_again(place: Place) -> None:
    one = place.offer(add("alpha.md", "three"))
    place.decide(one.id)
    other = place.offer(add("alpha.md", "- Three"), add("alpha.md", "four"))
    assert [item.title for item in other.items] == ["four"]  # the first is decided already
    place.apply(one.id)
    place.decide(other.id)
    assert place.apply(other.id).applied == (1,)
    assert body(place.read("alpha.md")) == "# Alpha\n\n- one\n- two\n- three\n- four\n"


def test_our_own_change_moves_other_proposals_of_the_file_along(place: Place) -> None:
    first = place.offer(add("alpha.md", "three"), revise("alpha.md", "- one", "- eins"))
    second = place.offer(add("alpha.md", "four"), drop("alpha.md", "- one"))
    place.decide(first.id)
    place.apply(first.id)
    four, one = place.get(second.id).items
    assert four.state == "open"
    assert (one.state, one.reason) == ("stale", "what it changes no longer stands there")
    place.decide(second.id)
    assert place.apply(second.id).applied == (1,)
    assert body(place.read("alpha.md")) == "# Alpha\n\n- eins\n- two\n- three\n- four\n"


def test_two_decided_proposals_of_one_file_are_both_applied(place: Place) -> None:
    first, second = place.offer(add("alpha.md", "three")), place.offer(add("alpha.md", "four"))
    for proposal in (first, second):
        place.decide(proposal.id)
    for proposal in (second, first):
        assert place.apply(proposal.id).applied == (1,)
    assert body(place.read("alpha.md")) == "# Alpha\n\n- one\n- two\n- four\n- three\n"


def test_items_that_burst_the_cap_together_are_conflicted_when_applied(place: Place) -> None:
    place.write("MEMORY.md", "- " + "x" * 2900 + "\n")
    proposal = place.offer(
        *(add("MEMORY.md", f"{letter * 50}", kind="always-loaded") for letter in "abc")
    )
    from memory_core.proposals.decision import Decision, decide

    decide(place.database, proposal.id, Decision("apply all"))  # a surface that checks nothing
    outcome = place.apply(proposal.id)
    assert (outcome.applied, outcome.conflicted) == ((1,), (2, 3))
    assert len(place.read("MEMORY.md")) <= 3000


def test_room_made_by_a_later_item_lets_an_earlier_one_in(place: Place) -> None:
    place.write("MEMORY.md", "- " + "x" * 2900 + "\n- " + "y" * 80 + "\n")
    proposal = place.offer(add("MEMORY.md", "z" * 60, kind="always-loaded"))
    assert proposal.state == "empty"  # alone it bursts the cap
    proposal = place.offer(
        drop("MEMORY.md", "- " + "y" * 80, kind="always-loaded"),
        add("MEMORY.md", "w" * 10, kind="always-loaded", value=2.0),
    )
    place.decide(proposal.id)
    assert place.apply(proposal.id).applied == (1, 2)


def test_an_undecided_proposal_cannot_be_applied(place: Place) -> None:
    proposal = place.offer(add("alpha.md", "three"))
    with pytest.raises(Conflict, match="is open"):
        place.apply(proposal.id)


def test_apply_none_moves_the_bookmark_and_reject_run_does_not(place: Place) -> None:
    for choice, state, position in (("apply none", "applied", 9), ("reject run", "rejected", 0)):
        proposal = place.offer(add("alpha.md", f"for {choice}"), until=9)
        place.decide(proposal.id, choice)
        place.apply(proposal.id)
        assert place.get(proposal.id).state == state
        assert bookmark.position(place.database, "wrap", proposal.subject) == position
    assert place.read("alpha.md") == NOTE


def test_a_run_over_a_window_that_another_read_changes_nothing(place: Place) -> None:
    number = place.open(subject="s", since=0, until=5)
    proposal = place.fill(number, [add("alpha.md", "three")])
    place.decide(proposal.id)
    other = place.open(subject="s", since=0, until=9)
    assert place.fill(other, []).state == "empty"
    outcome = place.apply(proposal.id)
    assert outcome.applied == ()
    assert "another run" in outcome.notices[0]
    assert place.get(proposal.id).state == "failed"
    assert place.read("alpha.md") == NOTE
    assert bookmark.position(place.database, "wrap", "s") == 9
