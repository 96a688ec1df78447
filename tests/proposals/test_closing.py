"""What a point leaves open is closed, so that it swallows nothing behind it."""

from __future__ import annotations

import pytest

from memory_core.proposals.closing import closed
from memory_core.vault import points


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("```sh\nmake", "```sh\nmake\n```"),
        ("~~~~\na\n~~~", "~~~~\na\n~~~\n~~~~"),
        ("note <!-- why", "note <!-- why"),
        ("<!-- why", "<!-- why\n-->"),
        ("<pre>\na", "<pre>\na\n</pre>"),
        ("- a\n  ```sh\n  b", "- a\n  ```sh\n  b"),  # it ends with its bullet
        ("```sh\nmake\n```", "```sh\nmake\n```"),
        ("a ``` b", "a ``` b"),
    ],
)
def test_a_text_is_closed_where_it_has_to_be(text: str, made: str) -> None:
    assert closed(text) == made
    behind = points.read(f"{made}\n\nbehind").points
    assert behind[-1].text == "behind"


def test_one_that_takes_the_place_of_an_open_one_stays_open() -> None:
    assert closed("```bash", "```sh") == "```bash"
