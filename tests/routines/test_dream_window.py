"""What a dream reads, and who may read on: bookmark, window, and one owner at a time."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_core.proposals import bookmark, opening, queue
from memory_core.proposals.apply import apply
from memory_core.proposals.decision import Decision, decide
from memory_core.proposals.item import Evidence, Item
from memory_core.proposals.proposal import Proposal
from memory_core.record import archive
from memory_core.record.exchange import Exchange, Span
from memory_core.routines.dream import reading
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.store.tables import SessionRow

AT = datetime(2026, 11, 3, 9, tzinfo=UTC)
NOTE = "# Backup\n\n- The backup runs at 02:00.\n- The NAS is called fritz.\n"


@dataclass
class Nights:
    """A vault, a record, and dreams that find what a test gives them."""

    database: Database
    root: Path
    settings: Settings

    @property
    def subject(self) -> str:
        return reading.subject(self.root, "ada")

    @property
    def position(self) -> int:
        return bookmark.position(self.database, "dream", self.subject)

    def record(self, session: str, *texts: str, user: str = "ada", first: int = 1) -> None:
        rows = [
            Exchange(
                f"{session}-{turn}", session, "neutral", AT + timedelta(minutes=turn),
                AT + timedelta(minutes=turn), [Span("user", text)], rows=1,
            )
            for turn, text in enumerate(texts, first)
        ]  # fmt: skip
        with self.database.write() as writing:
            held = writing.get(SessionRow, session) or SessionRow(
                id=session, client="neutral", user=user, scope="shop", cwd="", transcript="",
                started_at=AT, seen_at=AT,
            )  # fmt: skip
            assert archive.keep(writing, held, rows) == len(rows)

    def open(self, limit: int = 0) -> Proposal:
        return opening.open_next(
            self.database, routine="dream", subject=self.subject, user="ada", scope="",
            end=lambda session, since: reading.end(session, "ada", since, limit),
            detail={"user": "ada"},
        )  # fmt: skip

    def dream(self, *items: Item, limit: int = 0) -> Proposal:
        opened = self.open(limit)
        return queue.offer(self.database, self.root, self.settings, opened.id, items)

    def decide(self, proposal: Proposal, choice: Any, **more: Any) -> None:
        decide(self.database, proposal.id, Decision(choice, **more))
        apply(self.database, self.root, self.settings, proposal.id)

    def read(self, proposal: Proposal) -> list[str]:
        return [one.request for one in reading.read(self.database, proposal.window)]


def change(old: str = "02:00", new: str = "03:30") -> Item:
    before = next(line for line in NOTE.splitlines() if old in line)
    return Item(
        "revise", "note", "backup.md", f"{old} is now {new}", before=before,
        after=before.replace(old, new), evidence=(Evidence("s1", 1, "user", f"it is {new} now"),),
        value=1.0,
    )  # fmt: skip


@pytest.fixture
def nights(database: Database, tmp_path: Path) -> Nights:
    root = tmp_path / "vault"
    root.mkdir()
    (root / "backup.md").write_text(NOTE, "utf-8")
    made = Nights(database, root, Settings(vault=root, user="ada"))
    made.record("s1", "one", "two")
    return made


@pytest.mark.parametrize(
    ("choice", "more", "applied"),
    [
        ("apply all", {}, True),
        ("apply chosen", {"chosen": (1,)}, True),
        ("apply none", {}, False),
    ],
)
def test_a_decided_run_moves_the_bookmark_to_the_end_of_its_window(
    nights: Nights, choice: str, more: dict[str, Any], applied: bool
) -> None:
    proposal = nights.dream(change())
    nights.record("s2", "said while the proposal waits")
    assert nights.position == 0
    nights.decide(proposal, choice, **more)
    assert nights.position == proposal.window["until"] == 2
    assert ("03:30" in (nights.root / "backup.md").read_text("utf-8")) is applied
    assert nights.read(nights.open()) == ["said while the proposal waits"]


def test_a_rejected_run_offers_the_same_window_again(nights: Nights) -> None:
    first = nights.dream(change())
    nights.decide(first, "reject run")
    assert nights.position == 0
    again = nights.dream(change())
    assert again.id != first.id and again.window == first.window and again.open
    nights.decide(again, "reject run")
    assert nights.dream(change()).window == first.window


def test_silence_leaves_the_bookmark_and_a_newer_run_reads_what_came_since(
    nights: Nights,
) -> None:
    first = nights.dream(change())
    nights.record("s2", "three")
    second = nights.dream(change("fritz", "otto"))
    assert queue.get(nights.database, first.id).state == "superseded"
    assert nights.read(second) == ["one", "two", "three"] and nights.position == 0
    assert {item.title for item in second.open} == {"02:00 is now 03:30", "fritz is now otto"}


def test_nothing_new_gives_the_proposal_that_waits(nights: Nights) -> None:
    first = nights.dream(change())
    assert nights.open().id == first.id


def test_with_nothing_to_offer_the_window_counts_as_read(nights: Nights) -> None:
    assert nights.dream().state == "empty"
    assert nights.position == 2


def test_a_failed_run_leaves_its_window_to_the_next(nights: Nights) -> None:
    failed = nights.open()
    queue.fail(nights.database, failed.id, "no balance")
    again = nights.open()
    assert nights.position == 0
    assert again.id != failed.id and again.window == failed.window and again.run != failed.run


def test_what_was_not_chosen_comes_first_next_time_also_with_nothing_new(nights: Nights) -> None:
    first = nights.dream(change(), change("fritz", "otto"))
    nights.decide(first, "apply chosen", chosen=(1,))
    again = nights.dream()
    assert again.window["since"] == again.window["until"] == nights.position
    assert len(again.open) == 1 and again.open[0].carried


def test_a_limit_ends_the_window_early_and_the_rest_is_read_next(nights: Nights) -> None:
    first = nights.dream(change(), limit=1)
    assert nights.read(first) == ["one"]
    nights.decide(first, "apply none")
    assert nights.read(nights.open()) == ["two"]


def test_other_peoples_sessions_are_not_read(nights: Nights) -> None:
    nights.record("b1", "bo's words", user="bo")
    assert nights.read(nights.open()) == ["one", "two"]


def test_sessions_come_one_after_another_whatever_the_order_of_recording(nights: Nights) -> None:
    nights.record("s2", "three")
    nights.record("s1", "four", first=3)
    assert nights.read(nights.open()) == ["one", "two", "four", "three"]


def test_a_window_stays_frozen_while_more_is_recorded(nights: Nights) -> None:
    opened = nights.open()
    nights.record("s2", "later")
    assert nights.open().id == opened.id
    assert nights.read(opened) == ["one", "two"]


def test_many_who_open_at_once_get_one_window_and_one_owner(nights: Nights) -> None:
    found: list[tuple[int, str, str]] = []
    gate = threading.Barrier(6)

    def begin(run: str) -> None:
        gate.wait()
        opened = nights.open()
        owner = opening.take(nights.database, opened.id, run, lambda _run: True)
        found.append((opened.id, run, owner))

    threads = [threading.Thread(target=begin, args=(f"run-{number}",)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({number for number, _, _ in found}) == 1
    assert len({owner for _, _, owner in found}) == 1
    assert sum(run == owner for _, run, owner in found) == 1


def test_a_window_whose_run_is_gone_may_be_taken(nights: Nights) -> None:
    opened = nights.open()
    database = nights.database
    assert opening.take(database, opened.id, "a", lambda _run: True) == "a"
    assert opening.take(database, opened.id, "b", lambda _run: True) == "a"
    assert opening.take(database, opened.id, "b", lambda _run: False) == "b"
    held = opening.held_by(database, "b")
    assert held is not None and held.id == opened.id and opening.held_by(database, "a") is None


def test_a_window_that_another_run_overtook_is_not_applied(nights: Nights) -> None:
    first = nights.dream(change(), limit=1)
    nights.record("s2", "three")
    second = nights.open()
    nights.decide(first, "apply none")
    third = queue.offer(nights.database, nights.root, nights.settings, second.id, [change()])
    nights.decide(third, "apply all")
    assert nights.position == 3
    assert (nights.root / "backup.md").read_text("utf-8").count("03:30") == 1
