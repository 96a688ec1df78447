"""Bank ids are computed from names, and no two banks share one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.banks.bank import KINDS, bank_id, parse_bank_id
from memory_core.banks.context import Context
from memory_core.errors import BadInput, FieldTooLong

names = st.text(st.sampled_from("ab:%/ \x00\ud8003A"), min_size=1).filter(str.strip)


def test_ids_are_the_documented_ones() -> None:
    context = Context("ada", "shop")
    assert [str(bank) for bank in context.banks] == ["user:ada:shop", "scope:shop", "user:ada"]


@given(
    st.tuples(st.sampled_from(KINDS), names, names), st.tuples(st.sampled_from(KINDS), names, names)
)
def test_two_banks_never_share_an_id(one: tuple[str, str, str], two: tuple[str, str, str]) -> None:
    first, second = bank_id(*one), bank_id(*two)
    assert (str(first) == str(second)) == (first == second)


@given(st.sampled_from(KINDS), names, names)
def test_an_id_says_which_bank_it_is(kind: str, user: str, scope: str) -> None:
    bank = bank_id(kind, user, scope)
    assert parse_bank_id(str(bank)) == bank
    assert str(bank).isprintable()


def test_a_colon_in_a_name_opens_no_other_bank() -> None:
    assert str(bank_id("global", "ada:shop", "x")) != str(bank_id("private", "ada", "shop"))


@pytest.mark.parametrize(
    "text", ["", "user", "user:", "user:a:", "scope:a:b", "team:a", "user:%3a"]
)
def test_what_is_no_id_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        parse_bank_id(text)


def test_unusable_names_are_refused() -> None:
    with pytest.raises(BadInput, match="user is empty"):
        bank_id("private", " ", "shop")
    with pytest.raises(FieldTooLong, match="scope"):
        bank_id("private", "ada", "x" * 600)
    with pytest.raises(BadInput, match="private, shared, global"):
        bank_id("team", "ada", "shop")
