"""Two notes on one subject: the newer supersedes, or both say the same; neighbours stay apart."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from memory_core.errors import RecallUnavailable
from memory_core.recall.recall import Models
from memory_core.routines.dream import dream, pairs
from memory_core.routines.dream.held import Held
from memory_core.routines.place import Ask
from memory_core.vault.note import Note
from tests.routines.dream.talk import note, place

RULES = (
    "Books are lent for {0} days, journals for {1}.",
    "A book can be renewed {2} times.",
    "Fines are {3} cents a day.",
    "The reading room opens at {4}.",
)


def library(key: str, *numbers: object, updated: date = date(2026, 1, 1)) -> Note:
    return note(
        key,
        *(rule.format(*numbers) for rule in RULES),
        updated=updated,
        about="Loans in the library",
    )


@pytest.fixture
def ask(recall_models: Models) -> Ask:
    """The real embedder; recall is not needed here."""
    assert recall_models.embedder
    embedder = recall_models.embedder

    def embed(operation: str, payload: dict[str, Any]) -> dict[str, Any]:
        assert operation == "embed"
        return {"vectors": embedder.embed(payload["texts"]).tolist()}

    return embed


def compared(ask: Ask, *notes: Note) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    superseded, duplicates, _ = pairs.compare(Held(notes), notes, ask)
    return (
        [(one.older.key, one.newer.key) for one in superseded],
        [(one.one.key, one.other.key) for one in duplicates],
    )


def test_the_same_subject_with_other_values_is_superseded_by_the_newer_note(ask: Ask) -> None:
    older = library("library-loans", 28, 3, 2, 20, "09:00", updated=date(2025, 1, 1))
    newer = library("library-rules", 42, 7, 4, 50, "08:00")
    assert compared(ask, newer, older) == ([("library-loans", "library-rules")], [])
    spot = place(older, newer)
    (item,) = dream.draft(dream.evidence([], spot, ask), spot).items
    assert (item.action, item.target) == ("revise", "library-loans.md")
    assert item.after.startswith(f"{item.before} Since 2026-01-01: [[library-rules]] says: “")
    assert item.detail["newer"] == "library-rules.md"


def test_the_same_values_in_other_words_are_duplicates_told_with_numbers_and_never_merged(
    ask: Ask,
) -> None:
    one = library("library-loans", 28, 3, 2, 20, "09:00")
    other = note(
        "loan-howto",
        "We lend books for 28 days and journals for 3.",
        "Renewing a book works 2 times.",
        "A day too late costs 20 cents.",
        "The reading room is open from 09:00.",
        about="Loans in the library, how to",
    )
    assert compared(ask, one, other) == ([], [("library-loans", "loan-howto")])
    spot = place(one, other)
    drafted = dream.draft(dream.evidence([], spot, ask), spot)
    assert drafted.items == ()
    (line,) = [said for said in drafted.notices if said.startswith("near-duplicates")]
    assert "library-loans.md and loan-howto.md" in line and "values in both" in line


def test_notes_of_one_template_on_two_things_stay_apart(ask: Ask) -> None:
    one = library("seminar-physics", 28, 3, 2, 20, "09:00", updated=date(2025, 1, 1))
    other = library("seminar-history", 42, 7, 4, 50, "08:00")
    assert compared(ask, one, other) == ([], [])


def test_two_people_with_a_favourite_colour_each_stay_apart(ask: Ask) -> None:
    notes = [
        note(
            f"{name}-colour",
            f"The favourite colour of {name} is {colour}.",
            f"{name} sings alto.",
            "The costume is lined with silk.",
        )
        for name, colour in (("anna", "purple"), ("ben", "cyan"))
    ]
    assert compared(ask, *notes) == ([], [])


def test_a_newer_note_that_says_so_supersedes_whatever_it_looks_like(ask: Ask) -> None:
    older = note(
        "bees-acid", "Treat in August with formic acid, twice 20 ml.", updated=date(2025, 7, 1)
    )
    newer = note(
        "bees-2026",
        "Oxalic acid in winter, once 35 ml.",
        "Ersetzt [[bees-acid]].",
        updated=date(2026, 8, 1),
    )
    assert compared(ask, older, newer) == ([("bees-acid", "bees-2026")], [])


def test_a_link_without_the_cue_and_an_older_note_supersede_nothing(ask: Ask) -> None:
    older = note("bees-acid", "Treat in August.", updated=date(2025, 7, 1))
    newer = note(
        "bees-2026", "Replacing frames is told in [[bees-acid]].", updated=date(2026, 8, 1)
    )
    early = note("bees-early", "Supersedes [[bees-2026]].", updated=date(2024, 1, 1))
    assert compared(ask, older, newer, early) == ([], [])


def test_a_vault_without_likely_pairs_is_not_embedded() -> None:
    def nobody(operation: str, payload: dict[str, Any]) -> dict[str, Any]:
        raise AssertionError(operation)

    assert compared(nobody, note("a", "Feed the cat."), note("b", "Water the plants.")) == ([], [])


def test_without_vectors_only_what_says_so_supersedes_and_the_reason_is_told() -> None:
    def without(operation: str, payload: dict[str, Any]) -> dict[str, Any]:
        raise RecallUnavailable("words only: no embedder")

    older = library("library-loans", 28, 3, 2, 20, "09:00", updated=date(2025, 1, 1))
    newer = library("library-rules", 42, 7, 4, 50, "08:00")
    spot = place(older, newer)
    found = dream.evidence([], spot, without)
    assert found.superseded == () and found.duplicates == ()
    assert found.notices == ("notes were not compared with one another: words only: no embedder",)
    said = note("loans-2027", "Replaces [[library-rules]].", updated=date(2026, 9, 1))
    (one,) = dream.evidence([], place(older, newer, said), without).superseded
    assert (one.older.key, one.newer.key) == ("library-rules", "loans-2027")
