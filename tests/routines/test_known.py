"""What a note says already is recognized; a new value is not taken for it."""

from __future__ import annotations

import pytest

from memory_core.routines.known import knows, nearest_point, repeated
from memory_core.vault.note import parse

NOTE = parse(
    '---\nkey: orders\ndescription: "Orders: limits and approval"\n---\n\n'
    "- Refunds above 5,000 NOK need a second person.\n- Orders close at 16:30; `--late` reopens.\n",
    "orders.md",
)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("- Refunds above 5,000 NOK need a second person.", True),
        ("- A second person is needed for refunds above 5,000 NOK.", True),
        ("- Refunds above 7,000 NOK need a second person.", False),
        ("- Orders close at 16:30; `--early` reopens.", True),
        ("- `--early` reopens closed orders.", False),
        ("- The printer wants A5 paper.", False),
    ],
)
def test_a_note_knows_the_same_fact_and_no_other_number(text: str, known: bool) -> None:
    assert knows(text, NOTE) is known


def test_the_nearest_point_is_verbatim() -> None:
    told = nearest_point("- Orders close at 18:00 and `--late` reopens them.", NOTE)
    assert told == "- Orders close at 16:30; `--late` reopens."
    assert nearest_point("- The printer wants A5 paper.", NOTE) == ""


def test_an_item_that_another_one_holds_is_repeated() -> None:
    assert repeated("- Use port 8080 for metrics.", ["- Metrics use port 8080, always."])
    assert not repeated("- Use port 8081 for metrics.", ["- Metrics use port 8080, always."])
