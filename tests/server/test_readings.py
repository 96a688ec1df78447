"""Readings tell percentiles by stage, and deaths of earlier servers."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_core.errors import NotCalibrated
from memory_core.recall.floor import in_force
from memory_core.server import jobs, reasons
from memory_core.server.readings import WINDOW, Readings, Starts
from memory_core.store import calls
from memory_core.store.calls import Call, Calls
from memory_core.store.database import Database


def test_percentiles_cover_the_last_recalls_only(home: Path) -> None:
    readings = Readings()
    for _ in range(WINDOW):
        readings.recall("notes", {"words": 10_000.0})
    for value in range(WINDOW):
        readings.recall("nothing", {"words": float(value)})
    found = readings.as_json()
    assert found["latency_ms"]["words"] == {"p50": 250.0, "p95": 474.0, "n": WINDOW}
    assert found["counts"]["recall"] == 2 * WINDOW
    assert found["counts"]["recall notes"] == WINDOW
    assert found["rss_mb"] > 1


def test_a_start_after_a_start_is_a_restart_and_an_orderly_end_is_none(home: Path) -> None:
    starts = Starts()
    assert starts.note_start()["restarts"] == 0
    starts.note_stop()
    assert starts.note_start() | {"last_restart": None} == {
        "starts": 2, "restarts": 0, "last_restart": None,
    }  # fmt: skip
    after_a_kill = starts.note_start()
    assert after_a_kill["restarts"] == 1 and after_a_kill["last_restart"]


def test_a_damaged_file_of_starts_costs_the_history_only(home: Path) -> None:
    (home / "server.starts").write_bytes(b'\xff\xfe\n{"what": "start"}\n[1]\n{"at": 3, "wh')
    assert Starts().note_start()["starts"] == 1


def test_calls_of_the_hook_outlive_a_restart_and_a_lost_cache_costs_only_them(home: Path) -> None:
    first = Readings()
    first.recall("notes", {"server": 1.0, "hook": 500.0})  # before there is a place to keep it
    first.attach(Calls())
    first.recall("nothing", {"server": 1.0, "hook": 700.0})
    first.recall("notes", {"server": 1.0})  # no call of the hook
    first.note_stop()
    second = Readings()
    second.attach(Calls())
    found = second.as_json()
    assert found["latency_ms"]["hook"] == {"p50": 500.0, "p95": 700.0, "n": 2}
    assert (found["hooks"]["notes"], found["hooks"]["nothing"]) == (1, 1)
    assert found["hooks"]["since"] and "recall" not in found["counts"]
    assert [call.ms for call in calls.peek(10)] == [500.0, 700.0]
    for file in home.glob("cache.sqlite*"):
        file.unlink()
    assert calls.peek(10) == [] and not (home / "cache.sqlite").exists()


def test_refusals_are_counted_by_reason_and_do_not_flatter_the_latency(home: Path) -> None:
    readings = Readings()
    readings.recall("notes", {"hook": 500.0})
    readings.recall("unavailable", {"hook": 5.0}, "loading")
    readings.recall("unavailable", {"hook": 840.0}, "too slow")
    hooks = readings.as_json()["hooks"]
    assert hooks["unavailable"] == 2 and hooks["why"] == {"loading": 1, "too slow": 1}
    assert hooks["latency_ms"] == {"p50": 500.0, "p95": 840.0, "n": 2}


def test_the_oldest_calls_give_way(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "KEPT", 3)
    kept = Calls()
    for number in range(5):
        kept.add([Call(float(number), "notes", "", 1.0)])
    assert [call.at for call in kept.last(10)] == [2.0, 3.0, 4.0]


def test_every_reason_of_ours_has_its_kind(database: Database) -> None:
    with pytest.raises(NotCalibrated) as missing:
        in_force(database, "judge", "vault")
    known = {
        jobs.BUSY: "busy", jobs.STOPPING: "stopping", reasons.LOADING: "loading",
        reasons.TOO_LATE: "too slow", reasons.BUILDING: "index building",
        str(missing.value): "not calibrated",
        "measuring the floor, 20 of 140 questions": "measuring the floor",
        "the vault /x is gone": "other",
    }  # fmt: skip
    assert {reason: reasons.kind(reason) for reason in known} == known
