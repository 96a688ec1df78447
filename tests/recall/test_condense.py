"""A long request keeps what it asks and its rare terms."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_core.recall.condense import MOST_CHARACTERS, condense

LOG = "\n".join(
    f"2026-11-04T09:12:{second:02}Z INFO api request done path=/x status=200 took=12ms"
    for second in range(60)
)


def _rarity(term: str) -> float:
    return {"invalidsqlstatementnameerror": 6.0, "asyncpg": 5.0, "api": 1.0}.get(term, 0.0)


def test_a_short_request_passes_unchanged() -> None:
    assert condense("roll back shop-api", _rarity) == "roll back shop-api"


def test_a_pasted_log_keeps_the_question_and_the_rare_terms() -> None:
    pasted = (
        f"Can you see what is wrong?\n\n{LOG}\nasyncpg.InvalidSQLStatementNameError: gone\n{LOG}"
    )
    short = condense(pasted, _rarity).casefold()
    assert "can you see what is wrong?" in short
    assert "asyncpg" in short and "invalidsqlstatementnameerror" in short
    assert len(short) <= MOST_CHARACTERS + 1


def test_a_question_at_the_end_of_a_huge_paste_is_kept() -> None:
    assert "Which pool mode is right?" in condense(
        LOG * 200 + "\nWhich pool mode is right?", _rarity
    )


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=2000))
def test_condensing_never_raises_and_is_bounded(text: str) -> None:
    assert len(condense(text, _rarity)) <= MOST_CHARACTERS + 1
