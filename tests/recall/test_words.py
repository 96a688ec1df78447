"""The word leg finds what was typed, forgives typos and never parses a request."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.recall.source import NOTES_ONLY, Source, Visible
from memory_core.recall.words import Words
from memory_core.vault.note import Point
from memory_core.vault.passages import Passage

TEXTS = {
    "hooks.md": "Use git commit --no-verify only on Fridays.",
    "pool.md": "PgBouncer runs in transaction mode, pool size 25.",
    "version.md": "The parser is pinned to 1.0.21 since 1.0.22 drops comments.",
    "error.md": "Postfugl answers E-2207 for an unknown postal code.",
    "path.md": "Never edit packages/api-client/src/gen by hand.",
    "contract.md": "中文合約轉換體驗課問題",
    "norsk.md": "Sikkerhetskopiene tas hver natt; bøker og bilder først.",
    "filler.md": "The parser of the pool is on the path to the commit of errors.",
}


def _source(name: str, text: str, group: str = "notes") -> Source:
    return Source(name, name, (Passage(name, "", text),), (Point(text, 1),), group=group)


@pytest.fixture(scope="module")
def words() -> Words:
    index = Words()
    index.update([_source(name, text) for name, text in TEXTS.items()])
    return index


def _best(words: Words, query: str) -> str:
    hits = words.search(query, NOTES_ONLY, 3)
    return hits[0].place.source if hits else ""


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("may I use --no-verify", "hooks.md"),
        ('which parser: "1.0.21"', "version.md"),
        ("what does E-2207 mean", "error.md"),
        ("what is 2207", "error.md"),
        ("open packages/api-client/src/gen", "path.md"),
        ("api client", "path.md"),
        ("中文合約", "contract.md"),
        ("sikkerhetskopi", "norsk.md"),
        ("boker", "norsk.md"),
        ("pgbuoncer trasnaction", "pool.md"),
    ],
)
def test_the_note_that_holds_the_term_comes_first(words: Words, query: str, note: str) -> None:
    assert _best(words, query) == note


def test_words_are_alternatives(words: Words) -> None:
    assert _best(words, "zebra PgBouncer umbrella") == "pool.md"


def test_a_random_token_finds_nothing(words: Words) -> None:
    assert words.search("PHRASE_8842_QQQQ", NOTES_ONLY, 3) == []


@pytest.mark.parametrize("query", ["", " ", "\x00", "🙂", "title:(", 'AND OR "', "terms:x^2~", "*"])
def test_query_syntax_is_data(words: Words, query: str) -> None:
    words.search(query, NOTES_ONLY, 3)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=300))
def test_no_request_raises(words: Words, query: str) -> None:
    words.search(query, NOTES_ONLY, 3)


def test_a_replaced_source_is_found_by_its_new_words_only() -> None:
    words = Words()
    words.update([_source("a.md", "alpha beta"), _source("b.md", "gamma")])
    words.update([_source("a.md", "delta")], ["b.md"])
    assert words.passages == 1
    assert _best(words, "delta") == "a.md"
    assert not words.search("alpha", NOTES_ONLY, 3)
    assert not words.search("gamma", NOTES_ONLY, 3)
    assert words.rarity("alpha") == 0


def test_a_bank_that_is_not_visible_is_not_searched() -> None:
    words = Words()
    mine = _source("memory:a", "the deadline is in September", "user:ada")
    words.update([mine, _source("n.md", "deadline of the tax form")])
    both = Visible(frozenset({"notes", "user:ada"}))
    assert {hit.place.source for hit in words.search("deadline", NOTES_ONLY, 5)} == {"n.md"}
    assert len(words.search("deadline", both, 5)) == 2
    hidden = Visible(both.groups, frozenset({"memory:a"}))
    assert {hit.place.source for hit in words.search("deadline", hidden, 5)} == {"n.md"}
