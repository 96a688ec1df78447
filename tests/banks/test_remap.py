"""A project's banks follow it to a new scope: all of them, or none."""

from __future__ import annotations

import pytest

from memory_core.banks.banks import Banks
from memory_core.banks.context import Context
from memory_core.banks.digest import digest
from memory_core.banks.remap import remap
from memory_core.errors import BadInput, BankFull, Conflict, NotFound
from tests.banks.conftest import BY, draft, fill

OLD, NEW = "old-1234", "github.com/acme/shop"


def test_all_users_of_a_scope_move_and_a_move_can_be_undone(banks: Banks) -> None:
    for user in ("ada", "bob:x"):
        context = Context(user, OLD)
        banks.remember(context.bank("private"), draft(f"of-{user[:3]}"), BY)
    banks.remember(Context("ada", OLD).bank("shared"), draft("ours"), BY)
    banks.remember(Context("ada", OLD).bank("global"), draft("everywhere"), BY)
    before = digest(banks, Context("ada", OLD)).text
    moved = remap(banks, OLD, NEW, BY)
    assert {written.action for written in moved} == {"move"}
    assert digest(banks, Context("ada", NEW)).text == before
    assert {memory.key for memory in banks.findable(Context("bob:x", NEW))} == {"of-bob", "ours"}
    assert [memory.key for memory in banks.findable(Context("ada", OLD))] == ["everywhere"]
    for written in moved:
        banks.undo(written.number, BY)
    assert digest(banks, Context("ada", OLD)).text == before


def test_a_key_taken_in_the_target_stops_the_whole_move(banks: Banks) -> None:
    old, new = Context("ada", OLD), Context("ada", NEW)
    for key in ("a", "b", "c"):
        banks.remember(old.bank("private"), draft(key), BY)
    banks.remember(new.bank("private"), draft("b", content="another"), BY)
    with pytest.raises(Conflict, match="holds a b already"):
        remap(banks, OLD, NEW, BY)
    assert len(banks.held([old.bank("private")])) == 3


def test_what_does_not_fit_stays(banks: Banks) -> None:
    fill(banks, Context("ada", OLD), "private", 30)
    for number in range(30):
        banks.remember(Context("ada", NEW).bank("private"), draft(f"x{number}"), BY)
    with pytest.raises(BankFull):
        remap(banks, OLD, NEW, BY)
    assert banks.state(Context("ada", OLD).bank("private")).count == 30


def test_nothing_to_move_is_said(banks: Banks) -> None:
    with pytest.raises(NotFound, match="holds a memory"):
        remap(banks, "nowhere", NEW, BY)
    with pytest.raises(BadInput, match="the same"):
        remap(banks, NEW, NEW, BY)
