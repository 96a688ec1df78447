"""Readings tell percentiles by stage, and deaths of earlier servers."""

from __future__ import annotations

from pathlib import Path

from memory_core.server.readings import WINDOW, Readings, Starts


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
