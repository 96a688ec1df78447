"""Text is cleaned at the boundary and split into terms that people search for."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core import text

anything = st.text(alphabet=st.characters(exclude_categories=()))


@given(anything)
def test_cleaning_is_idempotent_and_leaves_no_control_characters(value: str) -> None:
    cleaned = text.clean(value)
    assert text.clean(cleaned) == cleaned
    left = {c for c in cleaned if unicodedata.category(c) in ("Cc", "Cf", "Cs")}
    assert left <= {"\n", "\t", *text.JOINERS}


@pytest.mark.parametrize(
    ("dirty", "kept"),
    [
        ("a\u200bb", "ab"),
        ("abc\u202edef", "abcdef"),
        ("nul\x00", "nul"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("a\u200db", "ab"),
        ("\ud800x", "\ufffdx"),
        ("one\r\ntwo", "one\ntwo"),
    ],
)
def test_invisible_characters_go_and_needed_joiners_stay(dirty: str, kept: str) -> None:
    assert text.clean(dirty) == kept


@given(anything)
def test_utf16_units_count_as_clients_count(value: str) -> None:
    assert text.utf16_units(value) == len(value.encode("utf-16-le", "surrogatepass")) // 2


@given(anything)
def test_terms_are_short_and_hold_no_white_space(value: str) -> None:
    for term in text.terms(value):
        assert term and len(term) <= 64 and term.split() == [term]


@pytest.mark.parametrize(
    ("written", "findable"),
    [
        ("git commit --no-verify", {"--no-verify", "verify"}),
        ('pinned to "1.0.21".', {"1.0.21", "21"}),
        ("see packages/api-client/src/gen.", {"packages/api-client/src/gen", "client"}),
        ("ERROR E-2207: postal", {"e-2207", "2207"}),
        ("pg_try_advisory_xact_lock(a, b)", {"pg_try_advisory_xact_lock", "advisory"}),
        ("ReadRouter.pin()", {"readrouter.pin", "readrouter", "router"}),
        ("C# and C++", {"c#", "c++"}),
        ("Ærlig Café", {"aerlig", "cafe"}),
        ("中文合約轉換體驗課問題", {"中文", "合約"}),
    ],
)
def test_identifiers_are_findable_whole_and_in_parts(written: str, findable: set[str]) -> None:
    assert findable <= set(text.terms(written))


def test_a_chinese_request_shares_terms_with_a_longer_chinese_note() -> None:
    assert set(text.terms("中文合約")) & set(text.terms("中文合約轉換體驗課問題")) >= {
        "中文",
        "合約",
    }
