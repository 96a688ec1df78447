"""Which memories apply where, and which one a key means."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.banks.banks import Banks
from memory_core.banks.context import Context, applicable, in_scope, shadowed
from memory_core.banks.digest import digest
from memory_core.banks.memory import EntityRef, Tag
from memory_core.errors import UnknownId
from tests.banks.conftest import BY, FINANCE, draft

P, A, B = EntityRef("project", "P"), EntityRef("item", "A"), EntityRef("item", "B")
refs = st.lists(st.builds(EntityRef, st.sampled_from("tu"), st.sampled_from("123")), max_size=5)


@pytest.mark.parametrize(
    ("here", "applies"),
    [((), False), ((P,), False), ((A,), False), ((P, A), True), ((P, B), True), ((A, B), False),
     ((P, EntityRef("item", "C")), False), ((P, A, B), True)],
)  # fmt: skip
def test_different_types_must_all_match_and_one_type_is_a_choice(
    banks: Banks, here: tuple[EntityRef, ...], applies: bool
) -> None:
    context = Context("ada", "shop", here)
    banks.remember(context.bank("private"), draft("k", refs=(P, A, B)), BY)
    assert bool(digest(banks, context).lines) is applies
    assert bool(banks.findable(context)) is applies


@given(refs, refs)
def test_the_scope_rule_holds_for_any_references(
    wanted: list[EntityRef], here: list[EntityRef]
) -> None:
    class Located:
        refs = tuple(wanted)

    expected = all(
        any(ref in here for ref in wanted if ref.type == kind) for kind in {r.type for r in wanted}
    )
    assert in_scope(Context("u", "s", tuple(here)), Located()) is expected  # type: ignore[arg-type]


def test_the_narrowest_bank_wins(banks: Banks, ada: Context) -> None:
    for kind in ("global", "shared", "private"):
        banks.remember(ada.bank(kind), draft("style", description=kind), BY)
        assert [line.description for line in digest(banks, ada).lines] == [kind]


def test_a_private_memory_out_of_scope_hides_nothing(banks: Banks, ada: Context) -> None:
    banks.remember(ada.bank("private"), draft("style", "mine", refs=(P,)), BY)
    banks.remember(ada.bank("shared"), draft("style", "ours"), BY)
    assert [line.description for line in digest(banks, ada).lines] == ["ours"]
    assert [memory.description for memory in banks.findable(ada)] == ["ours"]
    there = replace(ada, refs=(P,))
    assert [line.description for line in digest(banks, there).lines] == ["mine"]


def test_a_private_memory_of_another_subject_hides_nothing_in_the_digest(
    banks: Banks, ada: Context
) -> None:
    banks.remember(
        ada.bank("private"), draft("style", "mine", tags=(Tag("domain", "finance"),)), BY
    )
    banks.remember(ada.bank("shared"), draft("style", "ours"), BY)
    assert [line.description for line in digest(banks, ada).lines] == ["ours"]
    assert banks.find(ada, "style").description == "ours"
    invoicing = replace(ada, tags=(Tag("entity", "invoice"),))
    assert banks.find(invoicing, "style").description == "mine"


def test_tags_gate_the_digest_and_not_the_search(banks: Banks, ada: Context) -> None:
    banks.remember(ada.bank("private"), draft("k", tags=(Tag("domain", "finance"),)), BY)
    assert digest(banks, ada).lines == ()
    assert [memory.key for memory in banks.findable(ada)] == ["k"]


def test_other_users_and_scopes_are_out_of_sight(banks: Banks, ada: Context) -> None:
    for kind in ("private", "shared", "global"):
        banks.remember(ada.bank(kind), draft(f"of-{kind}"), BY)
    seen = {memory.key for memory in banks.findable(Context("bob", ada.scope))}
    assert seen == {"of-shared"}
    assert {memory.key for memory in banks.findable(Context("ada", "else"))} == {"of-global"}


@given(st.lists(st.tuples(st.sampled_from(("private", "shared", "global")), st.sampled_from("xyz"),
                          refs), unique_by=lambda item: item[:2]), refs)  # fmt: skip
def test_shadowing_looks_only_at_what_applies(items: list, here: list[EntityRef]) -> None:
    context = Context("u", "s", tuple(here))

    class Item:
        def __init__(self, kind: str, key: str, wanted: list[EntityRef]) -> None:
            self.bank, self.key = context.bank(kind), key
            self.refs, self.tags = tuple(wanted), ()

    found = applicable(context, [Item(*item) for item in items], FINANCE)
    chosen = {item.key: item.bank for item in shadowed(context, found)}
    order = list(context.banks)
    for key in {item.key for item in found}:
        narrowest = min((item.bank for item in found if item.key == key), key=order.index)
        assert chosen[key] == narrowest
    assert set(chosen) == {item.key for item in found}


def test_an_unknown_reference_type_is_refused_everywhere(banks: Banks, ada: Context) -> None:
    wrong = EntityRef("banana", "1")
    with pytest.raises(UnknownId, match="project, item, person, branch"):
        banks.remember(ada.bank("private"), draft("k", refs=(wrong,)), BY)
    with pytest.raises(UnknownId, match="banana"):
        banks.findable(replace(ada, refs=(wrong,)))
    assert banks.held(ada.banks) == []
