"""What repeats a note, and what only looks like it."""

from __future__ import annotations

import pytest

from memory_core.routines.repetition import repeats

POINT = "Runners `rn-01` to `rn-08` delete images above 85 percent; volumes are never touched."


@pytest.mark.parametrize(
    "statement",
    [
        "Runners delete images above 85 percent; volumes are never touched.",
        "The runners `rn-01` to `rn-08` never touch the volumes.",
    ],
)
def test_a_statement_without_anything_of_its_own_is_a_repetition(statement: str) -> None:
    assert repeats(statement, ["Bread is baked.", POINT])


@pytest.mark.parametrize(
    "statement",
    [
        "Runners delete images above 70 percent; volumes are never touched.",
        "Runners delete images above 85 percent; volumes are touched.",
        "Runners delete images above 85 percent; caches are never touched.",
        "Runners `rn-09` never touch volumes.",
        "ランナーはボリュームに触れない。",
        "",
    ],
)
def test_another_number_name_word_or_negation_is_none(statement: str) -> None:
    assert not repeats(statement, [POINT])
