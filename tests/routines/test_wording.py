"""An item's text is the sentences themselves, without their interjections."""

from __future__ import annotations

import pytest

from memory_core.routines.wording import TITLE, point, title


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (["yes. and please: named exports only"], "- Named exports only."),
        (["no wait, sorry, it is room 12"], "- It is room 12."),
        (["og husk: saksnummeret skal stå først"], "- Saksnummeret skal stå først."),
        (["As feared: the image must run `x -f`."], "- The image must run `x -f`."),
        (["So files need a default export."], "- Files need a default export."),
        (["必ず日付を入れる", "例外はない。"], "- 必ず日付を入れる。例外はない。"),
        (["I set both to 2; the worker must have the same version"],
         "- The worker must have the same version."),
    ],
)  # fmt: skip
def test_a_point_opens_with_what_it_says(said: list[str], told: str) -> None:
    assert point(said) == told


def test_a_full_command_takes_the_place_of_its_beginning() -> None:
    told = point(["push with `edge push`, merging does nothing"], "edge push --env prod")
    assert told == "- Push with `edge push --env prod`, merging does nothing."
    assert point(["fewer workers are needed."], "pytest -n 4") == (
        "- Fewer workers are needed: `pytest -n 4`"
    )


def test_a_title_is_short_and_ends_at_a_word() -> None:
    told = title("- " + "every word of this sentence counts " * 6)
    assert len(told) <= TITLE and told.endswith("…") and "\n" not in told
