"""The warm server: limits, errors, fairness, a vault that changes, either transport."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from memory_core.errors import BadInput, Permanent, RecallUnavailable
from memory_core.server.client import Client
from memory_core.server.protocol import BODY_BYTES
from tests.warm import ASKED, NONSENSE, Warm

PATIENT = {"deadline_ms": 60_000}


def raw(warm: Warm, request: bytes) -> bytes:
    """Bytes there and back, without our client."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(20)
        connection.connect(str(warm.home / "server.sock"))
        connection.sendall(request)
        received = b""
        while part := connection.recv(65536):
            received += part
    return received


def test_health_index_and_readings_tell_the_state(warm: Warm) -> None:
    health, index, readings = (warm.call(path) for path in ("/health", "/index", "/readings"))
    assert health["status"] == "ready" and health["pid"] == warm.process.pid
    assert index["notes"] == len(list(warm.vault.glob("*.md"))) - 1 and not index["problems"]
    assert index["passages"] > index["notes"] and index["floor"] is not None
    assert {"rerank", "words", "server"} <= readings["latency_ms"].keys()
    assert readings["starts"] == 1 and readings["restarts"] == 0


def test_a_recall_answers_notes_or_nothing(warm: Warm) -> None:
    found = warm.call("/recall", {"query": ASKED, **PATIENT})
    assert found["status"] == "notes" and found["notes"][0]["source"] == "k8s-hpa-checkout.md"
    assert len(found["notes"]) <= 3 and "pool" not in found
    assert warm.call("/recall", {"query": NONSENSE, **PATIENT})["status"] == "nothing"
    assert warm.call("/recall", {"query": ASKED, "explain": True, **PATIENT})["pool"]


def test_a_recall_that_cannot_be_in_time_says_so(warm: Warm) -> None:
    late = warm.call("/recall", {"query": ASKED, "deadline_ms": 1})
    assert late["status"] == "unavailable" and late["reason"]


def test_embedding_and_reranking_give_numbers_for_each_text(warm: Warm) -> None:
    same = warm.call("/embed", {"texts": ["pods", "pods", "cake"]})
    first, second, third = same["vectors"]
    assert first == second != third and len(first) == 384 and same["model"]
    scored = warm.call("/rerank", {"query": ASKED, "passages": [ASKED, "a cake"] * 6})
    assert len(scored["scores"]) == 12 and scored["scores"][0] > scored["scores"][1]
    assert warm.call("/embed", {"texts": []})["vectors"] == []


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/recall", {}, "query"),
        ("/recall", {"query": 3}, "query"),
        ("/recall", {"query": "x", "limit": 0}, "limit"),
        ("/recall", {"query": "x", "colour": 1}, "colour"),
        ("/embed", {"texts": "x"}, "texts"),
        ("/embed", {"texts": ["x", None]}, "texts.1"),
        ("/session-start", {"cwd": 1}, "cwd"),
    ],
)
def test_a_wrong_field_is_named(warm: Warm, path: str, body: dict[str, Any], field: str) -> None:
    with pytest.raises(BadInput, match=field):
        warm.call(path, body)


def test_unknown_paths_and_methods_are_refused_as_json(warm: Warm) -> None:
    for call in (lambda: warm.call("/nowhere"), lambda: warm.call("/recall")):
        with pytest.raises(Permanent, match=r"Not (Found|Allowed)|Method"):
            call()


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_object_is_refused(warm: Warm, body: bytes) -> None:
    head = f"POST /recall HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {len(body)}"
    answer = raw(warm, head.encode() + b"\r\n\r\n" + body)
    assert b" 400 " in answer.split(b"\r\n")[0] and b'"error":"the body is no' in answer


def test_a_body_over_the_limit_is_refused_with_its_size(warm: Warm) -> None:
    with pytest.raises(Permanent, match=f"longer than {BODY_BYTES} bytes"):
        warm.call("/recall", {"query": "x" * BODY_BYTES})
    assert warm.call("/health")["status"] == "ready"


def test_bytes_that_are_no_http_leave_it_standing(warm: Warm) -> None:
    raw(warm, b"\x16\x03\x01\x00\xa5\x01\r\n\r\n")
    assert warm.call("/health")["status"] == "ready"


def test_five_prompts_overtake_a_bulk_job(warm: Warm) -> None:
    passages = [f"passage {n}: " + "the nightly dump of the orders table " * 2 for n in range(500)]
    done = threading.Event()

    def embed() -> int:
        vectors = warm.call("/embed", {"texts": passages})["vectors"]
        done.set()
        return len(vectors)

    with ThreadPoolExecutor(6) as pool:
        bulk = pool.submit(embed)
        before = warm.call("/readings")["counts"].get("embedded", 0)
        asked = [
            pool.submit(warm.call, "/recall", {"query": f"{ASKED} ({n})", **PATIENT})
            for n in range(5)
        ]
        answers = [future.result(100)["status"] for future in asked]
        assert answers == ["notes"] * 5 and not done.is_set()
        assert bulk.result(100) == 500
    assert warm.call("/readings")["counts"]["embedded"] == before + 500


def test_bulk_callers_share_the_worker(warm: Warm) -> None:
    long, short = ["a passage about pods " * 20] * 200, ["a passage about pods"] * 4
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(warm.call, "/embed", {"texts": long})
        second = pool.submit(warm.call, "/embed", {"texts": short})
        assert len(second.result(100)["vectors"]) == 4
        assert not first.done()
        first.result(100)


def _sources(warm: Warm, query: str) -> list[str]:
    notes = warm.call("/recall", {"query": query, **PATIENT})["notes"]
    return [note["source"] for note in notes]


def _eventually(look: Any) -> None:
    until = time.monotonic() + 30
    while not look():
        assert time.monotonic() < until
        time.sleep(0.1)


def test_edits_renames_and_deletions_count_without_a_restart(warm: Warm) -> None:
    asked = "Which colour has the zeppelin hangar door of depot Grimstad?"
    note, renamed = warm.vault / "zeppelin.md", warm.vault / "hangar.md"
    note.write_text("# Zeppelin hangar\n\nThe hangar door of depot Grimstad is crimson.\n", "utf-8")
    _eventually(lambda: "zeppelin.md" in _sources(warm, asked))
    note.rename(renamed)
    _eventually(lambda: _sources(warm, asked)[:1] == ["hangar.md"])
    assert "zeppelin.md" not in _sources(warm, asked)
    renamed.unlink()
    _eventually(lambda: "hangar.md" not in _sources(warm, asked))


def test_what_is_wrong_with_the_vault_is_named_and_the_rest_is_served(warm: Warm) -> None:
    broken, loop = warm.vault / "broken.md", warm.vault / "loop"
    broken.write_bytes(b"# Latin-1\n\n\xe6\xf8\xe5\n")
    loop.symlink_to(warm.vault, target_is_directory=True)
    try:
        _eventually(
            lambda: (
                {"broken.md", "loop"} <= {one["file"] for one in warm.call("/index")["problems"]}
            )
        )
        assert _sources(warm, ASKED)[0] == "k8s-hpa-checkout.md"
    finally:
        broken.unlink()
        loop.unlink()
    _eventually(lambda: not warm.call("/index")["problems"])


def test_a_second_server_is_refused_in_one_line(warm: Warm) -> None:
    command = [sys.executable, "-I", "-m", "memory_core", "serve"]
    second = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert second.returncode == 1 and len(second.stderr.splitlines()) == 1
    assert f"running already, as process {warm.process.pid}" in second.stderr
    assert warm.call("/health")["status"] == "ready"


@pytest.fixture
def cold_tcp(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A server over TCP without a vault: it stands and cannot work."""
    monkeypatch.setenv("WELLKEPT_TRANSPORT", "tcp")
    command = [sys.executable, "-I", "-m", "memory_core", "serve"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _eventually(lambda: (home / "server.tcp").exists())
    yield process
    process.terminate()
    assert process.wait(20) == 0
    assert not (home / "server.tcp").exists()


def test_over_tcp_the_token_opens_and_nothing_else_does(cold_tcp: Any, home: Path) -> None:
    _eventually(lambda: Client(20).call("/health")["status"] == "failed")
    address = json.loads((home / "server.tcp").read_text())
    with pytest.raises(Permanent, match="token"):
        (home / "server.tcp").write_text(json.dumps(address | {"token": "wrong"}))
        Client(20).call("/readings")
    (home / "server.tcp").write_text(json.dumps(address))
    assert Client(20).call("/readings")["starts"] == 1


def test_a_server_without_a_vault_says_what_to_do(cold_tcp: Any) -> None:
    _eventually(lambda: Client(20).call("/health")["status"] == "failed")
    answer = Client(20).call("/recall", {"query": "x"})
    assert answer["status"] == "unavailable" and "wellkept init" in answer["reason"]
    with pytest.raises(RecallUnavailable, match="no vault is set"):
        Client(20).call("/embed", {"texts": ["x"]})
