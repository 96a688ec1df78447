"""Prometheus reads what the server counts, over its socket or a port of its own."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families as parsed
from starlette.testclient import TestClient

from memory_core.errors import Permanent
from memory_core.server import loopback, protocol
from memory_core.server.app import build
from memory_core.server.client import Client
from memory_core.server.engine import Engine
from memory_core.server.metrics import Gauge, Metrics
from memory_core.settings import load
from tests.warm import ASKED, Warm


def samples(text: str) -> dict[tuple[str, ...], float]:
    """Name and label values of every sample; each family has its help and its type."""
    found = {}
    for family in parsed(text):
        assert family.documentation and family.type != "unknown", family
        for sample in family.samples:
            found[sample.name, *sample.labels.values()] = sample.value
    return found


def test_recalls_are_counted_by_caller_and_outcome_and_refusals_by_reason() -> None:
    metrics = Metrics()
    metrics.recall("notes", {"words": 2.0, "server": 400.0, "hook": 450.0}, "")
    metrics.recall("unavailable", {"server": 5.0}, "loading")
    metrics.count("tool remember", 1)
    text, kind = metrics.text([Gauge("floor", "The floor.", None)])
    found = samples(text.decode())
    assert kind.startswith("text/plain; version=")
    assert found["wellkept_recalls_total", "hook", "notes"] == 1
    assert found["wellkept_recalls_unavailable_total", "other", "loading"] == 1
    assert found["wellkept_front_hook_seconds_bucket", "0.4"] == 0
    assert found["wellkept_front_hook_seconds_bucket", "0.5"] == 1
    assert found["wellkept_front_hook_seconds_sum",] == pytest.approx(0.45)
    assert found["wellkept_recall_stage_seconds_count", "whole"] == 2
    assert found["wellkept_tool_calls_total", "remember"] == 1
    assert found["wellkept_floor",] != found["wellkept_floor",]  # not known


def test_a_real_call_of_the_hook_is_read_over_the_socket(warm: Warm) -> None:
    before = samples(Client(60).text(protocol.METRICS))
    warm.call("/recall", {"query": ASKED, "deadline_ms": 60_000, "hook_ms": 40})
    text = Client(60).text(protocol.METRICS)
    after, index = samples(text), warm.call("/index")
    count = ("wellkept_front_hook_seconds_count",)
    assert after[count] == before[count] + 1
    assert after["wellkept_notes",] == index["notes"]
    assert after["wellkept_floor",] == index["floor"]
    assert after["wellkept_ready",] == 1 and after["wellkept_proposals_waiting",] >= 0
    assert after["process_resident_memory_bytes",] > 1e7
    assert ASKED not in text and str(warm.vault) not in text


def test_a_port_of_its_own_serves_metrics_alone_and_to_who_has_the_token(home: Path) -> None:
    engine, token = Engine(load()), loopback.kept_token("metrics.token")
    client = TestClient(build(engine, token, only=(protocol.METRICS,)))
    shown = {"Authorization": f"Bearer {token}"}
    assert client.get("/metrics").status_code == 401
    assert samples(client.get("/metrics", headers=shown).text)["wellkept_ready",] == 0
    assert client.get("/readings", headers=shown).status_code == 404
    assert (home / "metrics.token").stat().st_mode & 0o777 == 0o600
    assert loopback.kept_token("metrics.token") == token


def test_a_port_that_is_taken_is_named_with_its_setting() -> None:
    with socket.socket() as taken:
        taken.bind((loopback.HOST, 0))
        taken.listen()
        with pytest.raises(Permanent, match="choose another metrics_port"):
            loopback.open_socket(taken.getsockname()[1], "the metrics", "metrics_port")
