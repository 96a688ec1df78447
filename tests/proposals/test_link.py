"""Links made to lead elsewhere, wherever they stand, and never in code."""

from __future__ import annotations

import pytest

from memory_core.errors import Conflict
from memory_core.proposals import link

TEXT = (
    "---\nkey: a\nsee: '[[old]]'\n---\n\n# T\n\n- [[old]] and [[old|shown]], [[ old#part ]]\r\n"
    "- `[[old]]` in code, [[older]]\n\n```\n[[old]]\n```\n\nlast [[old]]"
)


def test_every_link_leads_elsewhere_and_nothing_else_changes() -> None:
    made = link.replaced(TEXT, "old", "new")
    assert made == TEXT.replace(
        "- [[old]] and [[old|shown]], [[ old#part ]]", "- [[new]] and [[new|shown]], [[ new#part ]]"
    ).replace("last [[old]]", "last [[new]]")
    assert link.replaced(made, "new", "old") == TEXT


def test_the_lines_with_a_link_are_told_once_each() -> None:
    text = "- see [[old]]\n- see [[old]]\n- other [[old]]\n"
    assert link.lines(text, "old", "new") == (
        "- see [[old]]\n- other [[old]]", "- see [[new]]\n- other [[new]]",
    )  # fmt: skip


@pytest.mark.parametrize("text", ["- none\n", "`[[old]]`\n", "```\n[[old]]\n"])
def test_where_no_link_leads_there_nothing_is_mended(text: str) -> None:
    with pytest.raises(Conflict, match="no link"):
        link.replaced(text, "old", "new")


def test_a_link_that_code_may_hold_is_left_to_a_person() -> None:
    with pytest.raises(Conflict, match="only a person"):
        link.replaced("a `code\nspan [[old]] of` lines\n", "old", "new")


@pytest.mark.parametrize("name", ["", " a", "a]", "a|b", "a#b", "a\nb", "x" * 201])
def test_no_link_can_have_such_a_name(name: str) -> None:
    assert not link.is_name(name)
