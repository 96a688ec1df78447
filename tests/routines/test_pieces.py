"""Pieces: numbered spans, shortened for the model, whole for the proof."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_core.routines.pieces import chunks, pieces, weight
from tests.routines.told import Said, session

SAID = st.lists(
    st.tuples(
        st.sampled_from(["user", "agent", "tool"]), st.text("ab 東\n", min_size=1, max_size=400)
    ),
    max_size=30,
)


@given(SAID, st.integers(min_value=20, max_value=2000))
def test_chunks_hold_every_piece_once_and_fit_their_room(said: list[Said], room: int) -> None:
    found = pieces(session(*said))
    made = chunks(found, room)
    assert [piece for chunk in made for piece in chunk] == found
    for chunk in made:
        assert len(chunk) == 1 or sum(weight(piece.shown) + 1 for piece in chunk) <= room


def test_an_exchange_that_fits_is_not_parted() -> None:
    turn = [("user", "u" * 300), ("agent", "a" * 300)]
    made = chunks(pieces(session(*turn, *turn, *turn)), 350)
    assert [len(chunk) for chunk in made] == [2, 2, 2]


def test_a_long_output_is_shown_by_its_ends_and_proves_by_all_of_it() -> None:
    output = "first line\n" + "noise\n" * 2000 + "the cause is E-2207 here\n" + "noise\n" * 2000
    piece = pieces(session(("tool", f"bash: make -> {output}last line")))[0]
    assert len(piece.shown) < 2000
    assert "first line" in piece.shown and "last line" in piece.shown
    assert piece.evidence("E-2207 is the cause").quote == "the cause is E-2207 here"


def test_a_quote_shows_nothing_invisible() -> None:
    piece = pieces(session(("user", "the li\u200bmit is\u202e 64")))[0]
    assert piece.evidence("limit 64").quote == "the limit is 64"
