"""A key is a slug, whichever way the same words are spelled."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.banks.slug import slug
from memory_core.errors import BadInput


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Prefers Norwegian", "prefers-norwegian"),
        ("prefers_norwegian", "prefers-norwegian"),
        ("PREFERS-NORWEGIAN", "prefers-norwegian"),
        ("  [[prefers norwegian]] ", "prefers-norwegian"),
        ("pre\u200bfers nor\u202ewegian", "prefers-norwegian"),
        ("Café Ærlig Straße", "cafe-aerlig-strasse"),
        ("İstanbul", "istanbul"),
        ("東京 deadline", "東京-deadline"),
        ("がんばる", "がんばる"),
        ("हिन्दी", "हिन्दी"),
        ("Ёлка", "ёлка"),
        ("C# & v1.2", "c-v1-2"),
    ],
)
def test_spellings_meet_in_one_key(text: str, key: str) -> None:
    assert slug(text) == key


@given(st.text(st.characters(exclude_categories=())))
def test_a_slug_is_its_own_slug(text: str) -> None:
    try:
        key = slug(text)
    except BadInput:
        return
    assert slug(key) == key
    assert key.strip("-") == key
    assert not set(key) & set(' :"\\`\n')


@pytest.mark.parametrize("text", ["", "  ", "---", "🎉", "\u200b", "\x00", "\ud800"])
def test_an_input_that_leaves_nothing_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="no letter"):
        slug(text)
