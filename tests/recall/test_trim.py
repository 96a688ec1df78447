"""The cut keeps the point that answers, whole, with its neighbours."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_core.recall import trim
from memory_core.vault.note import Point

points = st.lists(
    st.builds(Point, st.text("abc. ", min_size=1, max_size=300), st.just(1), atomic=st.booleans()),
    min_size=1,
    max_size=12,
)


@given(points, st.data())
def test_the_answer_survives_and_the_budget_holds(found: list[Point], data: st.DataObject) -> None:
    cut = trim.pieces(found, 200)
    best = data.draw(st.integers(0, len(cut) - 1))
    shown = trim.around(cut, best, 200)
    assert cut[best].text in shown
    gaps = 2 * (len(trim.GAP) + 1)
    assert len(shown) <= max(200, len(cut[best].text)) + gaps


def test_neighbours_are_added_outward() -> None:
    cut = trim.pieces([Point(letter * 10, 1) for letter in "abcde"], 100)
    assert trim.around(cut, 2, 32) == "\n".join([trim.GAP, "b" * 10, "c" * 10, "d" * 10, trim.GAP])


def test_a_code_block_is_never_cut() -> None:
    block = "```\n" + "make it. so\n" * 40 + "```"
    cut = trim.pieces([Point("before", 1), Point(block, 2), Point("after", 9)], 100)
    assert trim.around(cut, 1, 100) == f"{trim.GAP}\n{block}\n{trim.GAP}"


def test_a_long_paragraph_is_cut_at_sentence_ends() -> None:
    paragraph = "First thing. Second thing. Third thing. " * 10
    cut = trim.pieces([Point(paragraph, 1, atomic=False)], 60)
    assert all(piece.text.endswith(".") for piece in cut)


def test_a_block_too_long_to_show_is_named() -> None:
    cut = trim.pieces([Point("x" * 50_000, 1)], 600)
    assert "50000 characters" in cut[0].text
