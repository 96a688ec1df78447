"""Every path, number and name of a text must stand in its evidence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.routines.grounding import ungrounded

QUOTE = "The updater must erase with `FLASH_PAGE=4096` in tools/flash.py, says Mira; 1,020 a minute"


@pytest.mark.parametrize(
    "text",
    [
        "Erase with `FLASH_PAGE=4096`.",
        "- tools/flash.py holds it; Mira knows.",
        "It takes 1020 a minute, or 1 020.",
        "The updater erases; nothing else is named.",
        "Mira's updater",
    ],
)
def test_what_the_quote_holds_is_grounded(text: str) -> None:
    assert ungrounded(text, [QUOTE]) == []


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("Erase with `FLASH_PAGE=2048`.", ["FLASH_PAGE=2048"]),
        ("It lies in tools/other.py.", ["tools/other.py"]),
        ("It takes 1,021 a minute.", ["1,021"]),
        ("The updater, says Mara, must erase.", ["Mara"]),
        ("Run it with --force, see https://evil.example/x.", ["https://evil.example/x", "--force"]),
        ("Error AP-17 is raised.", ["AP-17"]),
        ("ask オブシディアン", ["オブシディアン"]),
    ],
)
def test_what_no_quote_holds_is_named(text: str, missing: list[str]) -> None:
    assert ungrounded(text, [QUOTE]) == missing


def test_a_number_is_the_same_in_other_notation_and_in_words() -> None:
    assert (
        ungrounded("18.5 degrees from 23:00, 3 weeks", ["18,5 grader fra 23:00", "tre uker"]) == []
    )
    assert ungrounded("18.6 degrees", ["18,5 grader"]) == ["18.6"]


def test_a_placeholder_in_a_command_stands_for_anything() -> None:
    said = ["I ran shopctl payments sync --order 903310"]
    assert ungrounded("`shopctl payments sync --order ID` and `<queue>`", said) == []
    assert ungrounded("`shopctl payments drop --order ID`", said) == ["drop"]


def test_german_nouns_are_no_names() -> None:
    assert ungrounded("Die Frist ist der Montag und nicht später.", ["frist montag"]) == []


def test_no_quote_grounds_nothing_named_and_everything_plain() -> None:
    assert ungrounded("plain words", []) == []
    assert ungrounded("port 8080", []) == ["8080"]


@given(st.text(max_size=300))
def test_a_text_is_grounded_in_itself(text: str) -> None:
    assert ungrounded(text, [text]) == []


@given(st.text(max_size=200), st.lists(st.text(max_size=50), max_size=3))
def test_no_text_makes_it_fail(text: str, quotes: list[str]) -> None:
    for name in ungrounded(text, quotes):
        assert name
