"""Export and restore: the same state again, all of it or nothing."""

from __future__ import annotations

import filecmp
import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_core import settings as configuration
from memory_core.banks.bank import BankId
from memory_core.banks.banks import open_banks
from memory_core.banks.memory import Draft, EntityRef
from memory_core.banks.writer import By
from memory_core.errors import BadInput, Conflict
from memory_core.exporters import exporting, manifest, restoring, rows
from memory_core.proposals import apply, decision, queue
from memory_core.proposals.decision import Decision
from memory_core.proposals.item import Evidence, Item
from memory_core.record import archive
from memory_core.record.exchange import Exchange, Span
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.store.tables import BenchmarkRun, Calibration, SessionRow, now

BANK = BankId("ada", "github.com/acme/shop")


@pytest.fixture
def full(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A home with something in every table that people fill, and a vault under git."""
    vault = tmp_path / "vault"
    (vault / "sub").mkdir(parents=True)
    (vault / ".wellkept" / "benchmark").mkdir(parents=True)
    (vault / ".wellkept" / "benchmark" / "working.jsonl").write_text('{"q": "?"}\n', "utf-8")
    (vault / "MEMORY.md").write_bytes(b"\xef\xbb\xbf- Answer briefly.\r\n")
    (vault / "sub" / "pumpe-\u00f8.md").write_bytes(b"# Pumpe\n\n- caf\xe9\n")
    (vault / "topic.md").write_text("# Topic\n\n- It is old.\n", "utf-8")
    subprocess.run(["git", "init", "-q"], cwd=vault, check=True)
    monkeypatch.setenv("WELLKEPT_USER", "ada")
    configuration.save({"vault": str(vault)})
    chosen = configuration.load()
    database = Database(chosen.resolved_database_url)
    _remember(chosen, database)
    _record(database)
    _decide(chosen, database, vault)
    return chosen


def _remember(chosen: Settings, database: Database) -> None:
    banks, by = open_banks(chosen, database), By("user", "said so")
    hostile = 'A "quote", a \\ and \u2028 no `end` </x> \U0001f9e0'
    banks.remember(BANK, Draft("hostile", hostile, hostile, (EntityRef("item", "4:2"),)), by)
    banks.remember(BankId("ada", None), Draft("old", "Old", "Old text."), by)
    banks.remember(BankId("ada", None), Draft("old", "Old", "New text."), by)
    banks.forget(BankId("ada", None), "old", by)
    banks.remember(BankId(None, "github.com/acme/shop"), Draft("team", "Team", "Four."), by)


def _record(database: Database) -> None:
    at = datetime(2026, 11, 30, 14, 2, 11, 123456, tzinfo=UTC)
    with database.write() as session:
        held = SessionRow(
            id="s1", client="codex", user="ada", scope="shop", cwd="/x", transcript="",
            started_at=at, seen_at=at,
        )  # fmt: skip
        exchange = Exchange("u1", "s1", "codex", at, at, [Span("user", "We ship on Tuesdays.")])
        archive.keep(session, held, [exchange])
        session.add(
            Calibration(
                at=at,
                judge="j",
                vault="v",
                floor=11.43,
                clearance=-0.1,
                answered=0.9,
                quiet=1.0,
                separated=True,
                questions="general",
                detail={"a": [1, None]},
            )
        )
        session.add(
            BenchmarkRun(
                at=now(),
                name="working",
                judge="j",
                vault_commit="",
                floor=None,
                scores={"hit@3": 0.5},
                results=[{"id": "q"}],
            )
        )


def _decide(chosen: Settings, database: Database, vault: Path) -> None:
    said = Evidence("s1", 1, "user", "We ship on Tuesdays.")
    for number, item in enumerate((
        Item("revise", "note", "topic.md", "It is new", "- It is old.", "- It is new.", (said,)),
        Item("add", "note", "ship.md", "Day", after="- We ship on Tuesdays.", evidence=(said,)),
    )):  # fmt: skip
        run = queue.open_run(
            database, routine="wrap", subject=f"s{number}", run=f"r{number}", user="ada",
            scope="shop", window={"since": 0, "until": 1},
        )  # fmt: skip
        queue.offer(database, vault, chosen, run.id, [item])
    decision.decide(database, 1, Decision("apply all"), root=vault, settings=chosen)
    apply.apply(database, vault, chosen, 1)


def _restored(folder: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("WELLKEPT_HOME", str(home))
    restoring.restore(folder, configuration.load())
    return configuration.load()


def _files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def _manifest(folder: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((folder / manifest.NAME).read_text("utf-8"))
    assert value.pop("made_at")
    return value


@pytest.mark.parametrize("record", [True, False])
def test_export_restore_export_is_the_same(
    full: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record: bool
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    exporting.export(full, first, record=record)
    again = _restored(first, tmp_path / "new home", monkeypatch)
    exporting.export(again, second, record=record)
    assert _files(first) == _files(second) and _manifest(first) == _manifest(second)
    same = _files(first) - {manifest.NAME}
    equal, different, unread = filecmp.cmpfiles(first, second, same, shallow=False)
    assert set(equal) == same and not different and not unread


def test_notes_come_back_to_the_byte_and_proposals_still_apply(
    full: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exporting.export(full, tmp_path / "out")
    again = _restored(tmp_path / "out", tmp_path / "new", monkeypatch)
    assert full.vault and again.vault and again.vault != full.vault
    for name in (
        "MEMORY.md",
        "sub/pumpe-\u00f8.md",
        "topic.md",
        ".wellkept/benchmark/working.jsonl",
    ):
        assert (again.vault / name).read_bytes() == (full.vault / name).read_bytes()
    database = Database(again.resolved_database_url)
    decision.decide(database, 2, Decision("apply all"), root=again.vault, settings=again)
    assert apply.apply(database, again.vault, again, 2).applied == (1,)
    assert "- We ship on Tuesdays." in (again.vault / "ship.md").read_text("utf-8")


def test_what_people_read_names_every_memory_and_change(full: Settings, tmp_path: Path) -> None:
    made = exporting.export(full, tmp_path / "out")
    texts = {
        name: (tmp_path / "out" / name).read_text("utf-8")
        for name in made.files
        if name.endswith(".md") and "notes/" not in name
    }
    told = "\n".join(texts.values())
    assert "## hostile" in told and "Four." in told and "We ship on Tuesdays." in told
    assert "forget `user:ada:old` by user: said so" in texts["history.md"]
    assert made.counts["memory"] == 2 and made.counts["ledger"] == 6 and made.notes == 3


def test_without_record_nothing_that_was_said_is_in_the_tables(
    full: Settings, tmp_path: Path
) -> None:
    made = exporting.export(full, tmp_path / "out", record=False)
    assert not any(name.startswith(("record/", "tables/record_")) for name in made.files)


def test_a_folder_with_something_in_it_is_left_alone(full: Settings, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    with pytest.raises(BadInput, match="not empty"):
        exporting.export(full, tmp_path / "out")
    with pytest.raises(BadInput, match="a file"):
        exporting.export(full, tmp_path / "out" / "mine.txt")
    assert full.vault
    with pytest.raises(BadInput, match="lies in the vault"):
        exporting.export(full, full.vault / "out")
    assert _files(tmp_path / "out") == {"mine.txt"}


def test_an_export_that_fails_leaves_nothing(full: Settings, tmp_path: Path) -> None:
    assert full.vault
    target = tmp_path / "place" / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exporting, "pages", _full_disk)
        with pytest.raises(BadInput, match="No space left"):
            exporting.export(full, target)
    assert not list(target.parent.iterdir())


def _full_disk(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


def test_a_home_that_holds_something_refuses_an_export(full: Settings, tmp_path: Path) -> None:
    exporting.export(full, tmp_path / "out")
    with pytest.raises(Conflict, match="not empty") as error:
        restoring.restore(tmp_path / "out", full)
    assert "WELLKEPT_HOME" in error.value.remedy


def test_a_vault_with_other_notes_refuses_and_one_with_the_same_serves(
    full: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exporting.export(full, tmp_path / "out")
    monkeypatch.setenv("WELLKEPT_HOME", str(tmp_path / "new"))
    assert full.vault
    configuration.save({"vault": str(full.vault)})
    (full.vault / "topic.md").write_text("- Changed.\n")
    with pytest.raises(Conflict, match="other notes"):
        restoring.restore(tmp_path / "out", configuration.load())
    (full.vault / "topic.md").write_bytes((tmp_path / "out" / "notes" / "topic.md").read_bytes())
    assert restoring.restore(tmp_path / "out", configuration.load()).vault == full.vault


@pytest.mark.parametrize("fault", ["changed", "missing", "broken", "newer", "outside"])
def test_an_export_that_is_not_whole_is_refused_and_nothing_comes_in(
    full: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    out = tmp_path / "out"
    exporting.export(full, out)
    _spoil(out, fault)
    monkeypatch.setenv("WELLKEPT_HOME", str(tmp_path / "new"))
    with pytest.raises(BadInput):
        restoring.restore(out, configuration.load())
    assert configuration.load().vault is None and not (tmp_path / "new" / "vault").exists()


def _spoil(out: Path, fault: str) -> None:
    lines = out / "tables" / "memory.jsonl"
    value = json.loads((out / manifest.NAME).read_text("utf-8"))
    if fault == "changed":
        lines.write_text(lines.read_text("utf-8").replace("Four.", "Five."), "utf-8")
    if fault == "missing":
        lines.unlink()
    if fault == "newer":
        value["schema"] = "9999"
    if fault == "outside":
        value["files"]["../config.toml"] = ""
    if fault == "broken":
        lines.write_text('{"bank": "scope:x", "key": 1', "utf-8")
        value["files"]["tables/memory.jsonl"] = manifest.digest(lines)
    (out / manifest.NAME).write_text(json.dumps(value), "utf-8")


def test_rows_that_fit_no_table_roll_everything_back(
    full: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    exporting.export(full, out)
    lines = out / "tables" / "record_session.jsonl"  # comes after memories and ledger
    lines.write_text('{"no_such_column": 1}\n', "utf-8")
    value = json.loads((out / manifest.NAME).read_text("utf-8"))
    value["files"]["tables/record_session.jsonl"] = manifest.digest(lines)
    (out / manifest.NAME).write_text(json.dumps(value), "utf-8")
    monkeypatch.setenv("WELLKEPT_HOME", str(tmp_path / "new"))
    with pytest.raises(BadInput, match="no row of this table"):
        restoring.restore(out, configuration.load())
    with Database(configuration.load().resolved_database_url).read() as session:
        assert rows.used(session) == []


@settings(
    max_examples=40, deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
@given(st.text(min_size=1, max_size=80), st.datetimes(timezones=st.just(UTC)))
def test_a_row_comes_back_as_it_was(tmp_path: Path, told: str, at: datetime) -> None:
    told = told.encode("utf-8", "replace").decode()
    lines = []
    for turn in range(2):
        database = Database("sqlite:///:memory:")
        with database.write() as session:
            if turn:
                assert rows.fill(session, "record_session", lines[0]) == 1
            else:
                session.add(
                    SessionRow(
                        id="s",
                        client=told,
                        user=told,
                        scope="",
                        cwd=told,
                        transcript="",
                        started_at=at,
                        seen_at=at,
                    )
                )
                session.flush()
            lines.append(list(rows.lines(session, "record_session")))
        database.close()
    assert lines[0] == lines[1]
