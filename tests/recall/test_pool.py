"""The pool takes turns between the legs and crowds no note out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_core.recall.pool import fusion, union
from memory_core.recall.source import Place
from memory_core.recall.words import Hit

hits = st.lists(
    st.builds(
        Hit,
        st.builds(Place, st.sampled_from("abcdef"), st.integers(0, 5)),
        st.floats(0, 10, allow_nan=False),
    ),
    unique_by=lambda hit: hit.place,
)


@given(hits, hits, st.integers(1, 12), st.integers(1, 3))
def test_a_pool_is_bounded_and_fair(
    words: list[Hit], meaning: list[Hit], size: int, per: int
) -> None:
    for merge in (union, fusion):
        pool = merge(words, meaning, size=size, per_source=per)
        assert len(pool) == len(set(pool)) <= size
        assert all(sum(p.source == s for p in pool) <= per for s in "abcdef")
        assert set(pool) <= {hit.place for hit in [*words, *meaning]}


def test_the_best_of_each_leg_comes_before_any_second() -> None:
    words = [Hit(Place("a", 0), 9.0), Hit(Place("b", 0), 8.0)]
    meaning = [Hit(Place("c", 0), 0.9), Hit(Place("d", 0), 0.8)]
    pool = union(words, meaning, size=3, per_source=1)
    assert [place.source for place in pool] == ["a", "c", "b"]
