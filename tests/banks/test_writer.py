"""The choke point: upsert, compare-and-swap, FULL, crossing, ledger, undo."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import DBAPIError
from sqlmodel import select, text

from memory_core.banks.banks import Banks
from memory_core.banks.caps import Caps
from memory_core.banks.context import Context
from memory_core.banks.digest import digest
from memory_core.banks.memory import EntityRef
from memory_core.banks.rules import Rules
from memory_core.banks.writer import By
from memory_core.errors import BadInput, BankFull, Conflict, FieldTooLong, NotFound
from memory_core.store import ledger, outbox
from memory_core.store.database import Database
from memory_core.store.tables import LedgerRow, OutboxRow
from tests.banks.conftest import BY, draft, fill


def _owed(banks: Banks) -> list[OutboxRow]:
    with banks.database.read() as session:
        return list(outbox.pending(session, outbox.CONSOLIDATION))


def test_remembering_a_key_again_replaces_it_and_the_ledger_keeps_the_old_text(
    banks: Banks, ada: Context
) -> None:
    mine = ada.bank("private")
    banks.remember(mine, draft("music", content="I love jazz"), BY)
    written = banks.remember(mine, draft("Music!", content="I hate jazz"), BY)
    assert written.action == "revise"
    assert written.before and written.before.content == "I love jazz"
    assert [memory.content for memory in banks.held([mine])] == ["I hate jazz"]
    with banks.database.read() as session:
        row = ledger.entry(session, written.number)
    assert row.before and row.before["content"] == "I love jazz"
    assert (row.actor, row.reason, row.target) == ("agent", "test", f"{mine}:music")


def test_the_same_text_again_is_no_change(banks: Banks, ada: Context) -> None:
    first = banks.remember(ada.bank("private"), draft("k"), BY)
    again = banks.remember(ada.bank("private"), draft("k"), BY)
    assert (again.action, again.number) == ("unchanged", first.number)
    assert again.after and first.after and again.after.updated_at == first.after.updated_at


def test_a_rewrite_without_references_keeps_those_it_had(banks: Banks, ada: Context) -> None:
    mine, p = ada.bank("private"), (EntityRef("project", "P"),)
    banks.remember(mine, draft("k", refs=p), BY)
    banks.remember(mine, draft("k", content="newer"), BY)
    assert banks.get(mine, "k").refs == p
    banks.remember(mine, draft("k", content="newer", refs=()), BY)
    assert banks.get(mine, "k").refs == ()


def test_an_unseen_newer_version_is_not_overwritten(banks: Banks, ada: Context) -> None:
    mine = ada.bank("private")
    seen = banks.remember(mine, draft("k", content="one"), BY).number
    banks.remember(mine, draft("k", content="two"), BY)
    for change in (
        lambda: banks.remember(mine, draft("k", content="three"), BY, if_version=seen),
        lambda: banks.forget(mine, "k", BY, if_version=seen),
    ):
        with pytest.raises(Conflict) as caught:
            change()
        assert caught.value.current == "two"
    newest = banks.get(mine, "k").version
    assert (
        banks.remember(mine, draft("k", content="three"), BY, if_version=newest).action == "revise"
    )


def test_a_version_never_returns_after_a_removal(banks: Banks, ada: Context) -> None:
    mine = ada.bank("private")
    seen = banks.remember(mine, draft("k", content="one"), BY).number
    banks.forget(mine, "k", BY)
    banks.remember(mine, draft("k", content="another"), BY)
    with pytest.raises(Conflict):
        banks.remember(mine, draft("k", content="x"), BY, if_version=seen)
    with pytest.raises(Conflict):
        banks.remember(mine, draft("k", content="x"), BY, if_version=0)
    assert banks.remember(mine, draft("new"), BY, if_version=0).action == "add"


def test_at_fifty_a_new_key_is_refused_and_an_update_is_not(banks: Banks, ada: Context) -> None:
    fill(banks, ada, "private", 50)
    with pytest.raises(BankFull, match="50 memories"):
        banks.remember(ada.bank("private"), draft("one-more"), BY)
    assert banks.remember(ada.bank("private"), draft("private-00", "new"), BY).action == "revise"
    assert banks.state(ada.bank("private")).count == 50


def test_a_refused_write_leaves_nothing(banks: Banks, ada: Context) -> None:
    with pytest.raises(FieldTooLong), banks.writing() as writer:
        writer.remember(ada.bank("private"), draft("fits"), BY)
        writer.remember(ada.bank("private"), draft("long", content="x" * 2001), BY)
    assert banks.held(ada.banks) == []
    with banks.database.read() as session:
        assert session.exec(select(LedgerRow)).all() == []


def test_crossing_the_soft_limit_owes_one_run_until_it_ends(banks: Banks, ada: Context) -> None:
    mine = ada.bank("private")
    fill(banks, ada, "private", 40)
    assert _owed(banks) == []
    for key in ("a", "b"):
        banks.remember(mine, draft(key), BY)
    assert [row.key for row in _owed(banks)] == [f"consolidation:{mine}:0"]
    assert _owed(banks)[0].payload == {"bank": str(mine), "generation": 0, "count": 41}
    banks.end_run(mine, latched=False)
    banks.remember(mine, draft("a", "an update crosses nothing"), BY)
    assert len(_owed(banks)) == 1
    banks.remember(mine, draft("c"), BY)
    assert [row.key for row in _owed(banks)] == [f"consolidation:{mine}:{n}" for n in (0, 1)]


def test_a_crossing_that_is_rolled_back_owes_nothing(banks: Banks, ada: Context) -> None:
    fill(banks, ada, "private", 40)
    with pytest.raises(RuntimeError), banks.writing() as writer:
        writer.remember(ada.bank("private"), draft("a"), BY)
        raise RuntimeError
    assert _owed(banks) == []


def test_the_latch_refuses_new_keys_and_runs_until_a_removal_is_back_under(
    banks: Banks, ada: Context
) -> None:
    mine = ada.bank("private")
    fill(banks, ada, "private", 42)
    banks.end_run(mine, latched=True)
    assert banks.state(mine).latched
    with pytest.raises(BankFull):
        banks.remember(mine, draft("new"), BY)
    banks.remember(mine, draft("private-00", "an update"), BY)
    banks.forget(mine, "private-01", BY)
    assert banks.state(mine).latched
    banks.forget(mine, "private-02", BY)
    assert not banks.state(mine).latched
    banks.remember(mine, draft("new"), BY)
    assert [row.key[-1] for row in _owed(banks)] == ["0", "1"]


def test_a_bank_under_its_soft_limit_does_not_latch(banks: Banks, ada: Context) -> None:
    fill(banks, ada, "private", 40)
    banks.end_run(ada.bank("private"), latched=True)
    state = banks.state(ada.bank("private"))
    assert (state.latched, state.generation) == (False, 1)


def test_the_database_refuses_to_rewrite_the_ledger(banks: Banks, ada: Context) -> None:
    banks.remember(ada.bank("private"), draft("k"), BY)
    for statement in ("UPDATE ledger SET actor = 'x'", "DELETE FROM ledger"):
        with pytest.raises(DBAPIError, match="append-only"), banks.database.write() as session:
            session.connection().execute(text(statement))


def test_undo_brings_a_forgotten_memory_back_as_it_was(banks: Banks, ada: Context) -> None:
    mine = ada.bank("private")
    fill(banks, ada, "private", 3)
    before, memory = digest(banks, ada).text, banks.get(mine, "private-01")
    forgotten = banks.forget(mine, "private-01", BY)
    undone = banks.undo(forgotten.number, By("user", "by mistake"))
    assert digest(banks, ada).text == before
    assert undone.after and undone.after.updated_at == memory.updated_at
    with banks.database.read() as session:
        assert ledger.entry(session, undone.number).undoes == forgotten.number


def test_undo_of_undo_is_the_change_again(banks: Banks, ada: Context) -> None:
    mine = ada.bank("private")
    banks.remember(mine, draft("k", content="one"), BY)
    changed = banks.remember(mine, draft("k", content="two"), BY)
    once = banks.undo(changed.number, BY)
    assert banks.get(mine, "k").content == "one"
    banks.undo(once.number, BY)
    assert banks.get(mine, "k").content == "two"


def test_undo_is_refused_with_the_newer_text_when_the_memory_changed_since(
    banks: Banks, ada: Context
) -> None:
    mine = ada.bank("private")
    first = banks.remember(mine, draft("k", content="one"), BY)
    second = banks.remember(mine, draft("k", content="two"), BY)
    with pytest.raises(Conflict, match=f"undo entry {second.number} first") as caught:
        banks.undo(first.number, BY)
    assert caught.value.current == "two"
    banks.forget(mine, "k", BY)
    with pytest.raises(Conflict) as caught:
        banks.undo(second.number, BY)
    assert caught.value.current == "(forgotten)"


def test_undo_passes_the_same_limits_as_any_write(banks: Banks, ada: Context) -> None:
    mine = ada.bank("private")
    fill(banks, ada, "private", 50)
    forgotten = banks.forget(mine, "private-00", BY)
    banks.remember(mine, draft("in-its-place"), BY)
    with pytest.raises(BankFull):
        banks.undo(forgotten.number, BY)
    small = Banks(banks.database, Rules(Caps(content=5)))
    forgotten = banks.forget(mine, "private-01", BY)
    with pytest.raises(FieldTooLong):
        small.undo(forgotten.number, BY)


def test_undo_of_nothing_is_a_clear_error(banks: Banks, ada: Context) -> None:
    for number in (0, -1, 99, 2**80):
        with pytest.raises(NotFound, match="no entry"):
            banks.undo(number, BY)
    with banks.database.write() as session:
        number = ledger.append(
            session, kind="note", target="a.md", action="revise", actor="x", reason="",
            before={"text": "a"}, after={"text": "b"},
        )  # fmt: skip
    with pytest.raises(BadInput, match="about a note"):
        banks.undo(number, BY)


def test_forgetting_what_is_not_there_is_a_clear_error(banks: Banks, ada: Context) -> None:
    with pytest.raises(NotFound, match="holds no k"):
        banks.forget(ada.bank("private"), "k", BY)


def test_lowered_caps_bind_at_once(database: Database, ada: Context) -> None:
    banks = Banks(database, Rules(Caps(hard=2, soft=1, target=1)))
    fill(banks, ada, "private", 2)
    assert len(_owed(banks)) == 1
    with pytest.raises(BankFull):
        banks.remember(ada.bank("private"), draft("third"), BY)
