"""What goes wrong around a proposal: nothing is lost, nothing half done, and it is said."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from sqlalchemy import event

from memory_core.banks.bank import BankId
from memory_core.banks.banks import open_banks
from memory_core.banks.memory import Draft
from memory_core.banks.writer import By
from memory_core.errors import BadInput, DatabaseBusy, Permanent, VaultError
from memory_core.proposals import queue
from memory_core.proposals.apply import drain
from memory_core.proposals.item import Evidence
from memory_core.proposals.lock import one_writer
from memory_core.proposals.snapshot import place as placed
from memory_core.record import archive, capture, sessions
from memory_core.store import quotes
from memory_core.store.database import Database
from tests import stores
from tests.proposals.conftest import NOTE, Place, add, move


def test_a_vault_that_is_not_there_conflicts_nothing(place: Place) -> None:
    proposal = place.offer(add("alpha.md", "three"))
    place.decide(proposal.id)
    away = place.root.rename(place.root.with_name("away"))
    with pytest.raises(VaultError, match="is not there"):
        place.apply(proposal.id)
    (outcome,) = drain(place.database, place.root, place.settings)
    assert "is not there" in outcome.notices[0]
    assert queue.refresh(place.database, place.root, place.settings) == 0
    with pytest.raises(VaultError):
        place.offer(add("alpha.md", "four"))
    away.rename(place.root)
    assert place.apply(proposal.id).applied == (1,)


def test_files_owed_to_a_vault_that_was_moved_go_to_where_it_is(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposal = place.offer(add("alpha.md", "three"))
    place.decide(proposal.id)
    with monkeypatch.context() as patch:
        patch.setattr("memory_core.proposals.owing._write_files", _dead)
        with pytest.raises(KeyboardInterrupt):
            place.apply(proposal.id)
    moved = place.root.rename(place.root.with_name("moved"))
    (outcome,) = drain(place.database, moved, place.settings)
    assert outcome.applied == (1,)
    assert (moved / "alpha.md").read_text().endswith("- two\n- three\n")


def test_what_waits_is_not_stale_while_a_decision_is_being_written(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = place.offer(add("alpha.md", "three"))
    second = place.offer(add("alpha.md", "four"), move("alpha.md", "- one", "beta.md"))
    place.decide(first.id)
    with monkeypatch.context() as patch:
        patch.setattr("memory_core.proposals.owing._write_files", _dead)
        with pytest.raises(KeyboardInterrupt):
            place.apply(first.id)
    assert queue.refresh(place.database, place.root, place.settings) == 0
    assert [item.state for item in place.get(second.id).items] == ["open", "open"]
    place.decide(second.id)
    assert place.apply(second.id).applied == (1, 2)
    assert place.get(first.id).state == "applied"
    assert place.read("alpha.md").endswith("- two\n- three\n- four\n")


def _dead(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_note_whose_folder_became_a_file_conflicts_alone(place: Place) -> None:
    assert place.offer(add("alpha.md/x.md", "three", kind="note")).items[0].state == "stale"
    proposal = place.offer(add("topics/x.md", "three"), add("alpha.md", "four"))
    place.decide(proposal.id)
    place.write("topics", "a file")
    outcome = place.apply(proposal.id)
    assert (outcome.conflicted, outcome.applied) == ((1,), (2,))
    assert place.read("topics") == "a file" and "four" in place.read("alpha.md")


@stores.sqlite_only
def test_a_full_disk_of_the_database_changes_nothing(place: Place) -> None:
    proposal = place.offer(add("alpha.md", "three"), add("big.md", "# Big\n\n" + "- x\n" * 4000))
    place.decide(proposal.id)
    small = Database(place.database.url)

    @event.listens_for(small.engine, "connect")
    def _no_page_more(connection: object, _record: object) -> None:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()  # type: ignore[attr-defined]
        connection.execute(f"PRAGMA max_page_count={pages}")  # type: ignore[attr-defined]

    small.engine.dispose()  # the next connection has no page more
    with pytest.raises(Permanent, match="disk of the database is full"):
        Place(small, place.root, place.settings).apply(proposal.id)
    small.close()
    assert place.read("alpha.md") == NOTE
    assert [path.name for path in place.root.iterdir()] == ["alpha.md"]
    assert place.apply(proposal.id).applied == (1, 2)


def test_a_writer_that_waits_too_long_is_told_so(place: Place) -> None:
    with one_writer():
        with pytest.raises(DatabaseBusy, match="writing to the vault"):
            with one_writer(seconds=0.1):
                pass


def test_threads_apply_one_after_the_other(place: Place) -> None:
    proposal = place.offer(add("alpha.md", "three"), add("beta.md", "# B\n\n- b"))
    place.decide(proposal.id)
    threads = [threading.Thread(target=place.apply, args=(proposal.id,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert place.read("alpha.md").count("three") == 1
    assert len(place.entries()) == 2


def test_one_proposal_that_cannot_be_finished_does_not_hold_up_the_others(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write("locked/l.md", "- l\n")
    one, two = place.offer(add("locked/l.md", "m")), place.offer(add("alpha.md", "three"))
    for proposal in (one, two):
        place.decide(proposal.id)
    from memory_core.proposals import files

    real = files.stage

    def refuse(owed: files.Owed, always_loaded: str) -> None:
        if owed.file.startswith("locked"):
            raise VaultError("locked/l.md cannot be written: Permission denied")
        real(owed, always_loaded)

    monkeypatch.setattr(files, "stage", refuse)
    outcomes = {o.proposal: o for o in drain(place.database, place.root, place.settings)}
    assert outcomes[two.id].applied == (1,)
    assert "Permission denied" in outcomes[one.id].notices[0]
    assert place.get(one.id).state == "decided"


def test_a_hidden_always_loaded_file_is_a_target_like_any(place: Place) -> None:
    settings = place.settings.model_copy(update={"always_loaded": ".agent/rules"})
    hidden = Place(place.database, place.root, settings)
    hidden.write(".agent/rules", "- be brief\n")
    proposal = hidden.offer(move(".agent/rules", "- be brief", "alpha.md"))
    assert proposal.items[0].kind == "always-loaded"
    hidden.decide(proposal.id)
    assert hidden.apply(proposal.id).applied == (1,)
    assert hidden.read(".agent/rules") == ""


@pytest.mark.parametrize("file", ["", ".", "a/../../b.md", "a\x00.md", "a\n.md"])
def test_a_path_that_is_no_notes_is_bad_input(place: Place, file: str) -> None:
    with pytest.raises(BadInput):
        placed(place.root, file)


def test_a_file_name_that_the_system_refuses_makes_a_stale_item(place: Place) -> None:
    (item,) = place.offer(add("x" * 300 + ".md", "x")).items
    assert "name too long" in item.reason


def test_a_consolidation_ends_its_generation_and_latches_only_when_no_plan_helps(
    place: Place,
) -> None:
    banks, ada = open_banks(place.settings, place.database), BankId("ada", None)
    with banks.writing() as writer:
        for number in range(45):
            writer.remember(ada, Draft(f"k{number}", f"d{number}", f"fact {number}"), By("user"))
    versions = {memory.key: memory.version for memory in banks.held([ada])}

    def plan(count: int) -> int:
        from tests.proposals.conftest import drop

        items = [drop(f"user:ada:k{n}", "", kind="memory", title=f"k{n}") for n in range(count)]
        return place.offer(
            *items, routine="consolidation", subject="user:ada", versions=versions
        ).id

    rejected = plan(5)
    place.decide(rejected, "reject run")
    assert (banks.state(ada).generation, banks.state(ada).latched) == (1, False)
    queue.fail(
        place.database, place.open("consolidation", "user:ada", versions=versions), "no model"
    )
    assert (banks.state(ada).generation, banks.state(ada).latched) == (2, False)
    enough = plan(5)
    place.decide(enough, "apply none")
    place.apply(enough)
    assert (banks.state(ada).generation, banks.state(ada).latched) == (3, False)
    little = plan(2)
    place.decide(little)
    place.apply(little)
    state = banks.state(ada)
    assert (state.count, state.generation, state.latched) == (43, 4, True)


def test_a_session_forgotten_between_decision_and_writing_writes_nothing(place: Place) -> None:
    told = Evidence("secret-session", 1, "user", "the party is on Friday")
    proposal = place.offer(
        add("alpha.md", "the party is on Friday", evidence=(told,)),
        add("beta.md", "the party", evidence=(told,)),
        add("alpha.md", "three"),
    )
    place.decide(proposal.id)
    with place.database.write() as session:
        assert quotes.forget(session, "secret-session") == 2
    outcome = place.apply(proposal.id)
    assert outcome.applied == (3,)
    assert "forgotten" not in place.read("alpha.md") and "party" not in place.read("alpha.md")
    assert not (place.root / "beta.md").exists()
    assert [item.state for item in place.get(proposal.id).numbered[:2]] == ["superseded"] * 2


def test_a_session_forgotten_while_it_is_drafted_is_not_offered(
    place: Place, tmp_path: Path
) -> None:
    rows = [
        {"session": "s", "turn": turn, "ts": "2026-11-03T09:00:00Z", "role": role, "text": text}
        for turn, (role, text) in enumerate([("user", "the party is on Friday"), ("agent", "ok")])
    ]
    file = tmp_path / "s.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert capture.take_file(place.database, "ada", file, "neutral", "s")
    number = place.open()
    with place.database.read() as session:
        (exchange,) = archive.exchanges(session, of="s")
    sessions.forget(place.database, "s", actor="user", reason="private")
    told = Evidence("s", exchange.turn, "user", "the party is on Friday")
    proposal = place.fill(number, [add("alpha.md", "the party is on Friday", evidence=(told,))])
    assert proposal.items == () and "forgotten meanwhile" in proposal.notices[0]
