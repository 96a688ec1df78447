"""What a decision says it did, and who hears of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_core import settings
from memory_core.cli.review.reviewer import Reviewer, over
from memory_core.errors import BadInput, Conflict, ServerUnavailable, VaultError
from memory_core.proposals import queue
from memory_core.proposals.decision import Decision, decide
from memory_core.proposals.proposal import Proposal
from memory_core.store.database import Database
from tests.cli.offers import Offer, revision
from tests.cli.person import Hire


def test_the_run_that_waits_hears_of_the_decision(offer: Offer) -> None:
    number, heard = offer(revision(1)), list[Proposal]()
    lines = Reviewer.of(settings.load(), heard.append).carry_out(number, Decision("apply all"))
    assert [(found.id, found.state) for found in heard] == [(number, "applied")]
    assert lines[0].startswith(f"Proposal {number}: applied 1; commit ")


def test_a_run_that_cannot_be_told_is_said_and_the_change_stands(offer: Offer, notes: Path) -> None:
    def unreachable(_proposal: Proposal) -> None:
        raise ServerUnavailable("the orchestrator does not answer")

    number = offer(revision(1))
    lines = Reviewer.of(settings.load(), unreachable).carry_out(number, Decision("apply all"))
    assert lines[-1].endswith("was not told: the orchestrator does not answer")
    assert "Fact 1 is new." in (notes / "topic-1.md").read_text("utf-8")


def test_what_changed_meanwhile_is_said_to_be_conflicted(offer: Offer, notes: Path) -> None:
    number = offer(revision(1), revision(2))
    (notes / "topic-2.md").write_text("# Topic 2\n\n- Rewritten.\n", "utf-8")
    reviewer = Reviewer.of(settings.load())
    lines = reviewer.carry_out(number, Decision("apply chosen", chosen=(1, 2)))
    assert "applied 1, conflicted 1; commit " in lines[0]
    assert "  conflicted  2  topic-2.md: topic-2.md was changed meanwhile" in lines


def test_the_first_decision_wins_and_is_told_to_the_second(offer: Offer) -> None:
    number, reviewer = offer(revision(1)), Reviewer.of(settings.load())
    reviewer.carry_out(number, Decision("apply none"))
    with pytest.raises(Conflict):
        reviewer.carry_out(number, Decision("apply all"))
    told = over(reviewer.now(number))
    assert told == f"Proposal {number} was decided by somebody else just now (terminal): apply none"


def test_a_decision_that_was_stored_and_not_applied_is_finished_at_the_next_review(
    offer: Offer, person: Hire, database: Database, notes: Path
) -> None:
    number = offer(revision(1))
    decide(database, number, Decision("apply all"))
    ada = person("review")
    assert ada.ended() == 0
    assert f"Proposal {number}: applied 1" in ada.said and "Nothing waits" in ada.said
    assert "Fact 1 is new." in (notes / "topic-1.md").read_text("utf-8")


def test_a_vault_that_is_not_there_makes_nothing_stale(
    offer: Offer, database: Database, notes: Path
) -> None:
    number = offer(revision(1))
    notes.rename(notes.with_name("elsewhere"))
    with pytest.raises(VaultError):
        Reviewer.of(settings.load())
    assert queue.get(database, number).open


def test_an_edit_is_checked_before_anything_is_stored(offer: Offer) -> None:
    number, reviewer = offer(revision(1)), Reviewer.of(settings.load())
    secret = "- The token is ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with pytest.raises(BadInput, match="secret"):
        reviewer.carry_out(number, Decision("apply all", edits={1: secret}))
    assert reviewer.now(number).state == "open"
