"""The agent's search: words are alternatives, data and never syntax."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.banks.banks import Banks
from memory_core.banks.context import Context
from memory_core.banks.memory import EntityRef, Memory, Tag
from memory_core.banks.ontology import Ontology
from memory_core.banks.search import MemorySearch
from memory_core.banks.toolbox import Toolbox
from memory_core.store.tables import now
from memory_core.text import clean
from tests.banks.conftest import BY, draft, fill
from tests.banks.hostile import hostile


def _found(banks: Banks, context: Context, query: str, limit: int = 5) -> list[str]:
    return [memory.key for memory in Toolbox(banks, context).recall_memories(query, limit)]


@pytest.fixture
def filled(banks: Banks, ada: Context) -> Banks:
    facts = [
        ("prefers-norwegian", "User prefers replies in Norwegian", "Skriv på bokmål."),
        (
            "deploy-flag",
            "How we deploy",
            "Always pass --no-verify and pin 1.0.21 in /etc/app.conf.",
        ),
        ("tokyo-office", "東京オフィスの住所", "千代田区に移転しました"),
        ("cafe", "Lunch place", "The Café Ærlig serves Straßenkuchen."),
        ("content-only", "A line", "The word norwegian stands here among many other plain words."),
        ("error", "A known failure", "E1042 means that the cache is stale."),
    ]
    for key, description, content in facts:
        banks.remember(ada.bank("private"), draft(key, description, content), BY)
    return banks


def test_key_and_description_outweigh_content(filled: Banks, ada: Context) -> None:
    assert _found(filled, ada, "norwegian") == ["prefers-norwegian", "content-only"]


def test_words_are_alternatives(filled: Banks, ada: Context) -> None:
    assert _found(filled, ada, "which cache is stale and where is lunch")[:2] == ["error", "cafe"]


@pytest.mark.parametrize(
    ("query", "key"),
    [("1.0.21", "deploy-flag"), ('"1.0.21"', "deploy-flag"), ("--no-verify", "deploy-flag"),
     ("/etc/app.conf", "deploy-flag"), ("E1042", "error"), ("cafe aerlig", "cafe"),
     ("STRASSENKUCHEN", "cafe"), ("東京", "tokyo-office"), ("移転", "tokyo-office"),
     ("bokmal", "prefers-norwegian"), ("deploy_flag", "deploy-flag")],
)  # fmt: skip
def test_names_versions_flags_accents_and_other_scripts_are_found(
    filled: Banks, ada: Context, query: str, key: str
) -> None:
    assert _found(filled, ada, query)[0] == key


@pytest.mark.parametrize("query", ["PHRASE_8842_QQQQ", "", "  ", "🎉", "\x00", "?!", "zzz"])
def test_what_nobody_wrote_finds_nothing(filled: Banks, ada: Context, query: str) -> None:
    assert _found(filled, ada, query) == []


@pytest.mark.parametrize("query", ["title:(", 'AND OR NOT "', "key:(^9", "+stale -cache", "*"])
def test_query_syntax_is_text(filled: Banks, ada: Context, query: str) -> None:
    _found(filled, ada, query)
    assert _found(filled, ada, f"{query} E1042 stale cache")[0] == "error"


def test_a_huge_query_is_answered(filled: Banks, ada: Context) -> None:
    assert _found(filled, ada, "norwegian " + "noise words " * 20_000)[0] == "prefers-norwegian"


@given(hostile)
@settings(max_examples=25, deadline=None)
def test_no_query_raises(query: str) -> None:
    bank, content = Context("u", "s").bank("private"), clean(query)
    memory = Memory(bank, "k", "d", content, (), (), 1, now(), now())
    MemorySearch().search([memory], query, 5, Ontology())


def test_the_concrete_scope_is_a_wall(banks: Banks, ada: Context) -> None:
    p = EntityRef("project", "P")
    banks.remember(ada.bank("private"), draft("walled", "secret sauce", refs=(p,)), BY)
    assert _found(banks, ada, "secret sauce") == []
    assert _found(banks, replace(ada, refs=(p,)), "secret sauce") == ["walled"]


def test_labels_of_tags_are_found(banks: Banks, ada: Context) -> None:
    banks.remember(ada.bank("private"), draft("k", tags=(Tag("entity", "invoice"),)), BY)
    assert _found(banks, ada, "Invoice") == ["k"]


def test_what_was_just_written_is_found_and_what_was_forgotten_is_not(
    filled: Banks, ada: Context
) -> None:
    filled.remember(ada.bank("private"), draft("cafe", content="Closed; try the ramen bar"), BY)
    assert _found(filled, ada, "ramen") == ["cafe"]
    assert _found(filled, ada, "Straßenkuchen") == []
    filled.forget(ada.bank("private"), "cafe", BY)
    assert _found(filled, ada, "ramen") == []


def test_the_limit_holds(banks: Banks, ada: Context) -> None:
    fill(banks, ada, "private", 30)
    assert len(_found(banks, ada, "fact")) == 5
    assert len(_found(banks, ada, "fact", 12)) == 12


@given(st.permutations(range(6)))
@settings(max_examples=10, deadline=None)
def test_equal_scores_keep_the_given_order(order: list[int]) -> None:
    bank = Context("u", "s").bank("private")
    same = [Memory(bank, f"k{n}", "same", "words", (), (), n, now(), now()) for n in order]
    found = MemorySearch().search(same, "same", 6, Ontology())
    assert [memory.key for memory, _ in found] == [f"k{n}" for n in order]
