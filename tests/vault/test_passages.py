"""Notes are split into passages that a re-ranker can read whole."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from memory_core.vault.note import Note, Point, parse
from memory_core.vault.passages import TARGET_TOKENS, pieces, split, weight

DEMO = Path(__file__).parents[2] / "demo" / "vault"


def test_neighbours_share_a_passage_under_the_description() -> None:
    note = parse("---\ndescription: Ports\ntags: [a]\nscope: [b]\n---\n- one\n- two\n", "n.md")
    (passage,) = split(note)
    assert passage.text == "Ports\none\ntwo"
    assert (passage.first, passage.last, passage.tags) == (0, 1, ("a", "b"))


def test_points_under_different_headings_stay_apart_and_keep_their_heading() -> None:
    note = parse("---\ndescription: Ports\n---\n## Redis\n\n- 6380\n\n## Postgres\n\n- 5433\n", "n")
    assert [passage.body for passage in split(note)] == ["Redis\n6380", "Postgres\n5433"]


def test_a_heading_that_the_description_says_already_is_not_repeated() -> None:
    assert [passage.text for passage in split(parse("# Ports\n\n- 5433\n", "n.md"))] == [
        "Ports\n5433"
    ]


def test_a_long_point_becomes_several_passages_of_that_point() -> None:
    sentences = " ".join(f"Sentence number {n} says something." for n in range(40))
    passages = split(parse(f"---\ndescription: d\n---\n- short\n- {sentences}\n", "n.md"))
    assert [(passage.first, passage.last) for passage in passages[:2]] == [(0, 0), (1, 1)]
    assert all(passage.body.endswith("something.") for passage in passages[1:])
    assert " ".join(passage.body for passage in passages[1:]) == sentences


def test_a_note_without_points_is_found_by_its_key() -> None:
    (passage,) = split(parse("", "home/winter-tyres.md"))
    assert (passage.text, passage.last) == ("winter tyres\nwinter tyres", -1)


def test_demo_notes_stay_within_the_size() -> None:
    for file in DEMO.glob("*.md"):
        for passage in split(parse(file.read_text("utf-8"), file.name)):
            assert weight(passage.body) <= TARGET_TOKENS, file.name


_POINT = st.builds(
    Point,
    text=st.text(alphabet="ab .!\n契約🙂-", min_size=1, max_size=600).filter(str.strip),
    line=st.just(1),
    heading=st.sampled_from(["", "One", "A heading that is rather long " * 3, "契約書" * 20]),
)


@given(st.lists(_POINT, max_size=8), st.integers(20, 120))
def test_passages_cover_every_point_and_keep_the_size(points: list[Point], target: int) -> None:
    note = Note(file="n.md", key="k", description="d", points=tuple(points))
    passages = split(note, target)
    covered = {index for passage in passages for index in range(passage.first, passage.last + 1)}
    assert covered == set(range(len(points)))
    assert all(weight(passage.body) <= target for passage in passages)
    for index, point in enumerate(points):
        words = {
            word
            for passage in passages
            if passage.first <= index <= passage.last
            for word in passage.body.replace("\n", " ").split()
        }
        held = "".join(sorted(words))
        assert set("".join(point.plain.split())) <= set(held)


@given(st.text(max_size=400), st.integers(2, 60))
def test_pieces_lose_no_word(text: str, room: int) -> None:
    cut = pieces(text, room)
    assert "".join("".join(cut).split()) == "".join(text.split())
    assert all(weight(piece) <= max(room, 1) for piece in cut)
