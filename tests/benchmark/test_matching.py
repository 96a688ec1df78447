"""A text holds a statement when it has half of its numbers, code and content words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.benchmark.matching import HALF, holds, language, numbers

RULE = "Set `WORKERS=12` in ci/env on machines with 32 cores; the database allows 100 connections."


@pytest.mark.parametrize(
    ("text", "enough"),
    [
        (RULE, True),
        ("- On 32-core machines set `WORKERS=12`: the database allows 100 connections.", True),
        ("- Set WORKERS=12 in ci/env for machines with many cores.", True),
        ("- The database is slow on Mondays.", False),
        ("- Machines with many cores need another setting.", False),
        ("", False),
    ],
)
def test_half_of_the_pieces_are_enough(text: str, enough: bool) -> None:
    assert (holds(text, RULE) >= HALF) is enough


def test_words_do_not_count_across_languages_but_numbers_and_code_do() -> None:
    wanted = "Night setback is 18.5 degrees from 23:00 to 05:15 (`natt_stue`)."
    assert holds("- Nattsenkingen er 18,5 grader fra 23:00 til 05:15.", wanted) == 0.75
    assert holds("- Nattsenkingen i stua er nå lavere enn før og varer lenger.", wanted) == 0.0


def test_a_name_counts_in_code_and_in_prose_alike() -> None:
    assert holds("the import is `formatPrice` of the money package", "import formatPrice") == 1.0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1,020 and 4 194", {"1020", "4", "194"}),
        ("18,5 or 18.5", {"18.5"}),
        ("from 05:00 to 23:15", {"5", "23:15"}),
    ],
)
def test_numbers_are_the_same_in_every_notation(text: str, told: set[str]) -> None:
    assert numbers(text) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("the image must run it after copying", "en"),
        ("den skal begynne når det er kaldt ute", "no"),
        ("die Frist ist nicht mehr der 15.", "de"),
        ("請求書のファイル名", "cjk"),
        ("toujours le vouvoiement", "unknown"),
    ],
)
def test_a_language_is_told_by_its_function_words(text: str, told: str) -> None:
    assert language(text) == told


@given(st.text(max_size=200), st.text(max_size=200))
def test_a_share_lies_between_none_and_all(text: str, statement: str) -> None:
    assert 0.0 <= holds(text, statement) <= 1.0
    assert holds(statement, statement) in (0.0, 1.0)
