"""Memories join the notes in recall: up to date, walled by scope, the narrowest of a key."""

from __future__ import annotations

import pytest

from memory_core.banks.banks import Banks
from memory_core.banks.context import Context
from memory_core.banks.memory import Draft, EntityRef
from memory_core.banks.rules import Rules
from memory_core.banks.writer import By
from memory_core.recall.recall import NO_FLOOR, Models, Recall
from memory_core.server.shelf import Shelf
from memory_core.settings import Settings
from memory_core.store.database import Database

ADA = Context("ada", "shop")
BOB = Context("bob", "shop")
BY = By("test", "a test")


@pytest.fixture
def banks(database: Database) -> Banks:
    return Banks(database, Rules(reference_types=("item",)))


@pytest.fixture
def recall(recall_models: Models) -> Recall:
    return Recall(Settings(), recall_models)


def _found(shelf: Shelf, recall: Recall, context: Context, asked: str) -> dict[str, str]:
    visible = shelf.visible(recall, context)
    answer = recall.recall(asked, floor=NO_FLOOR, visible=visible)
    return {note.source: note.text for note in answer.notes}


def test_a_memory_is_found_as_soon_as_it_is_written_and_gone_when_forgotten(
    banks: Banks, recall: Recall
) -> None:
    shelf = Shelf(banks)
    asked = "when is the deadline"
    assert _found(shelf, recall, ADA, asked) == {}
    banks.remember(ADA.bank("private"), Draft("deadline", "Deadline", "It is in May."), BY)
    assert _found(shelf, recall, ADA, asked) == {"memory:deadline": "It is in May."}
    banks.remember(ADA.bank("private"), Draft("deadline", "Deadline", "It is in June."), BY)
    assert _found(shelf, recall, ADA, asked) == {"memory:deadline": "It is in June."}
    banks.forget(ADA.bank("private"), "deadline", BY)
    assert _found(shelf, recall, ADA, asked) == {}


def test_another_users_private_memory_is_not_found(banks: Banks, recall: Recall) -> None:
    shelf = Shelf(banks)
    banks.remember(BOB.bank("private"), Draft("tea", "Tea", "Bob drinks tea at four."), BY)
    assert _found(shelf, recall, BOB, "when does Bob drink tea")
    assert not _found(shelf, recall, ADA, "when does Bob drink tea")


def test_an_out_of_scope_private_memory_hides_no_shared_one(banks: Banks, recall: Recall) -> None:
    shelf = Shelf(banks)
    elsewhere = (EntityRef("item", "9"),)
    banks.remember(ADA.bank("private"), Draft("port", "Port", "Port 1.", refs=elsewhere), BY)
    banks.remember(ADA.bank("shared"), Draft("port", "Port", "Port 2."), BY)
    assert _found(shelf, recall, ADA, "which port") == {"memory:port": "Port 2."}


def test_of_one_key_the_narrowest_memory_is_found(banks: Banks, recall: Recall) -> None:
    shelf = Shelf(banks)
    banks.remember(ADA.bank("global"), Draft("style", "Style", "Long answers."), BY)
    banks.remember(ADA.bank("private"), Draft("style", "Style", "Short answers."), BY)
    assert _found(shelf, recall, ADA, "answer style") == {"memory:style": "Short answers."}
