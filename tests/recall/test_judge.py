"""The judge: BM25 counts for what it stands out by, and words alone must carry a blind request."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_core.recall.judge import Features, Judge, background, from_words
from memory_core.recall.source import Place
from memory_core.recall.words import Hit

values = st.lists(st.floats(0, 60, allow_nan=False), max_size=30)


def _hits(found: list[float]) -> list[Hit]:
    return [Hit(Place(f"{at}.md", 0), value) for at, value in enumerate(found)]


def test_the_background_is_the_tenth_source_whatever_its_passages() -> None:
    hits = _hits([float(30 - at) for at in range(12)])
    assert background(hits) == 21.0
    again = [Hit(Place(hit.place.source, 1), hit.value - 0.5) for hit in hits]
    assert background([*hits, *again]) == 21.0
    assert background(hits[:9]) == 0.0
    assert background([]) == 0.0


@given(values)
def test_only_what_stands_above_the_background_is_distinct(found: list[float]) -> None:
    behind = background(_hits(found))
    features = from_words(found, behind)
    assert [each.words for each in features] == found
    assert all(each.distinct == max(0.0, each.words - behind) for each in features)
    assert sum(each.distinct > 0 for each in features) <= max(9, len(found) if not behind else 9)


@given(st.floats(-8, 8), st.floats(0, 1), st.floats(0, 60), st.floats(0, 30))
def test_more_of_any_feature_never_lowers_the_score(
    logit: float, cosine: float, words: float, distinct: float
) -> None:
    judge = Judge("e", "r")
    base = Features(logit, cosine, words, distinct)
    more = [
        Features(logit + 1, cosine, words, distinct),
        Features(logit, cosine + 0.1, words, distinct),
        Features(logit, cosine, words + 1, distinct),
        Features(logit, cosine, words, distinct + 1),
    ]
    low, *high = judge.score([base, *more])
    assert all(score >= low for score in high)


def test_a_blind_request_is_ordered_by_words_below_what_the_models_would_like() -> None:
    judge = Judge("e", "r")
    low, high = judge.blind(from_words([5.0, 25.0], 5.0))
    assert low < high
    assert high < judge.score([Features(5.0, 0.8, 25.0, 20.0)])[0]
