"""A database moved to the other kind is the same to the row, also when the move was broken off."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import col, select
from typer.testing import CliRunner

from memory_core.banks.bank import BankId
from memory_core.banks.banks import Banks
from memory_core.banks.memory import Draft
from memory_core.banks.writer import By
from memory_core.errors import Conflict, Permanent
from memory_core.exporters import rows, transfer
from memory_core.proposals import bookmark
from memory_core.record import archive, reading
from memory_core.record.exchange import Exchange, Span
from memory_core.store.database import Database
from memory_core.store.tables import ItemRow, LedgerRow, MemoryRow, OutboxRow, ProposalRow, now
from tests import stores

ADA = BankId("ada", "github.com/acme/shop")
HOSTILE = "tab\t “quoted” \\ \U0001f469\u200d\U0001f469 100 % :colon \u2028 end"


def filled(database: Database) -> Database:
    """Something in every table that a copy may get wrong."""
    banks = Banks(database)
    with banks.writing() as writer:
        for number in range(60):
            writer.remember(ADA, Draft(f"k{number % 10}", f"d{number}", f"fact {number}"), By("a"))
        writer.remember(ADA, Draft("Ümlaut", HOSTILE[:90], HOSTILE), By("a", "b"))
        writer.forget(ADA, "k3", By("a"))
    source = reading.Source("s", "/t.jsonl", "neutral", "ada", "/", lambda _cwd: "scope")
    said = Exchange("u-1", "s", "neutral", now(), now() + timedelta(microseconds=1), prompt="p")
    said.spans = [Span("user", HOSTILE), Span("tool", "", input="x", output="y" * 5000)]
    with database.write() as session:
        archive.keep(session, reading.begun(source, "/", said), [said])
        session.add(OutboxRow(key="B", kind="k", at=now(), payload={"z": 1, "a": [None, 1.5]}))
        session.add(OutboxRow(key="a", kind="k", at=now(), payload={}, done_at=now()))
        bookmark.move(session, "dream", "x", {"since": 0, "until": 2**40})
        proposal = ProposalRow(
            routine="wrap", subject="s", run="r", state="open", user="ada", scope="c",
            window={}, notices=["n"], cost={}, created_at=now(), decision=None,
        )  # fmt: skip
        session.add(proposal)
        session.flush()
        session.add(ItemRow(
            proposal=proposal.id or 0, number=1, action="add", kind="note", target="a.md",
            base="", title=HOSTILE, before="", after=HOSTILE, detail={"nul": "\0", "x": 1e-7},
            evidence=[{"quote": "\ud800"}], provenance="user", value=0.1 + 0.2,
            fingerprint="f", state="open", at=now(),
        ))  # fmt: skip
    return database


def told(database: Database) -> dict[str, list[str]]:
    with database.read() as session:
        return {name: list(rows.lines(session, name)) for name in rows.names()}


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer, "BATCH", 25)


@pytest.fixture
def source(home: Path) -> Database:
    return filled(Database(f"sqlite:///{home / 'wellkept.sqlite'}"))


@pytest.fixture
def target(tmp_path: Path) -> Database:
    return Database(stores.fresh(tmp_path / "target.sqlite"))


def test_everything_is_there_under_its_own_number_and_the_numbering_goes_on(
    source: Database, target: Database, tmp_path: Path
) -> None:
    before, heard = told(source), dict[str, int]()
    done = transfer.transfer(source, target, lambda name, n: heard.__setitem__(name, n))
    assert told(source) == before == told(target)
    assert done.counts["ledger"] == 62 and not done.resumed and heard["ledger"] == 12
    written = Banks(target).remember(ADA, Draft("new", "d", "c"), By("a"))
    assert written.number == 63
    back = Database(f"sqlite:///{tmp_path / 'back.sqlite'}")
    transfer.transfer(target, back)
    assert told(back) == told(target)
    assert Banks(back).forget(ADA, "new", By("a"), if_version=63).number == 64


def test_a_copy_that_was_broken_off_goes_on_where_it_stopped(
    source: Database, target: Database
) -> None:
    batches: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        transfer.transfer(source, target, lambda n, _: batches.append(n) or _stop(n, "ledger"))
    left = list[str]()
    done = transfer.transfer(source, target, lambda name, _count: left.append(name))
    assert done.resumed and left.count("ledger") == 2 and batches.count("ledger") == 1
    assert told(source) == told(target)


def _stop(name: str, at: str) -> None:
    if name == at:
        raise KeyboardInterrupt


def test_a_source_that_changed_in_between_is_not_mixed_with_what_it_was(
    source: Database, target: Database
) -> None:
    batches: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        transfer.transfer(
            source, target, lambda n, _: batches.append(n) or _stop(n, "proposal_item")
        )
    with source.write() as session:
        row = session.exec(select(MemoryRow).order_by(col(MemoryRow.key))).first()
        assert row
        row.content = "changed behind the ledger's back"
        session.add(row)
    with pytest.raises(Conflict, match="memory was changed since"):
        transfer.transfer(source, target)


def test_a_target_in_use_is_left_alone(source: Database, target: Database) -> None:
    Banks(target).remember(ADA, Draft("mine", "d", "c"), By("a"))
    before = told(target)
    with pytest.raises(Conflict, match="not empty"):
        transfer.transfer(source, target)
    assert told(target) == before


def test_rows_that_differ_at_the_end_are_found(
    source: Database, target: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = rows.copy

    def loses_a_word(held, name, into, key, limit):  # type: ignore[no-untyped-def]
        found = copy(held, name, into, key, limit)
        if name == "memory":
            for row in into.exec(select(MemoryRow).where(MemoryRow.key == "k1")):
                row.content = ""
        return found

    monkeypatch.setattr(rows, "copy", loses_a_word)
    with pytest.raises(Permanent, match="memory holds 10 rows there and 10 here, or they differ"):
        transfer.transfer(source, target)
    with target.read() as session:
        assert session.get(transfer.CounterRow, transfer.MARK) is not None


def test_the_command_says_what_it_copied_and_refuses_what_is_no_postgresql(
    source: Database, home: Path
) -> None:
    from memory_core.cli.app import app

    wrong = CliRunner().invoke(app, ["migrate", "sqlite-to-postgres", "sqlite:////x"])
    assert "names no PostgreSQL" in str(wrong.exception)
    if not stores.ON_POSTGRES:
        return
    done = CliRunner().invoke(app, ["migrate", "sqlite-to-postgres", stores.configured()])
    assert "counts and hashes agree" in done.output
    with Database(stores.configured()).read() as session:
        assert len(session.exec(select(LedgerRow)).all()) == 62
