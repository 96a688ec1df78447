"""Three-way merge: both sides' changes, or none."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.proposals.three_way import merged

texts = st.lists(st.sampled_from("abcd"), max_size=8).map("\n".join)


@settings(deadline=None)
@given(texts, texts)
def test_a_side_that_changed_nothing_gives_way(base: str, other: str) -> None:
    assert merged(base, base, other) == merged(base, other, base) == other
    assert merged(base, other, other) == other


@settings(deadline=None)
@given(texts, texts, texts)
def test_the_sides_may_be_exchanged(base: str, one: str, other: str) -> None:
    assert merged(base, one, other) == merged(base, other, one)


@settings(deadline=None)
@given(texts, texts, st.lists(st.sampled_from("wxyz"), min_size=1, max_size=3))
def test_changes_in_different_places_both_stay(head: str, tail: str, new: list[str]) -> None:
    base = f"{head}\n=\n=\n{tail}"
    fresh = "\n".join(new)
    ours, theirs = f"{fresh}\n{base}", f"{base}\n{fresh}"
    assert merged(base, ours, theirs) == f"{fresh}\n{base}\n{fresh}"


def test_changes_of_the_same_line_clash() -> None:
    assert merged("a\nb\nc", "a\nx\nc", "a\ny\nc") is None
    assert merged("a\nb", "a\nx\nb", "a\ny\nb") is None
    assert merged("a\nb\nc", "a\nc", "a\nx\nc") is None
