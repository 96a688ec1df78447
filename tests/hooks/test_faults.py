"""Whatever is wrong around a hook, it ends with 0 and says why memory is unavailable."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_core import paths
from memory_core.server import client
from tests.hooks.test_events import context, hook, prompt

LATE = "Memory unavailable: recall was too slow, over 0.4 s."


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """Enough time on a busy machine, where the time limit is not what is tested."""
    monkeypatch.setenv("WELLKEPT_DEADLINE_MS", "10000")


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch, _patient: None) -> None:
    """A time limit that runs out; see `LATE`."""
    monkeypatch.setenv("WELLKEPT_DEADLINE_MS", "400")


def said(text: str = "a question") -> str:
    return context(hook("front", given=prompt(text)), "UserPromptSubmit")


@contextlib.contextmanager
def answering(serve: object) -> Iterator[None]:
    """A Unix socket at the server's place; `serve(connection)` runs for each caller."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(paths.socket_file()))
    listener.listen(5)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield
    finally:
        listener.close()


def test_no_server() -> None:
    assert said() == f"Memory unavailable: {client.NOT_RUNNING} ({client.START})."
    text = hook("session-start", given={"hook_event_name": "SessionStart"})
    assert (
        context(text, "SessionStart")
        == f"Memory unavailable: {client.NOT_RUNNING} ({client.START})."
    )


def test_a_socket_that_a_dead_server_left_behind() -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(paths.socket_file()))
    assert said() == f"Memory unavailable: {client.STALE} ({client.START})."


def test_a_server_that_accepts_and_never_answers(hurried: None) -> None:
    held = []
    with answering(held.append):
        assert said() in (LATE, f"Memory unavailable: {client.NO_ANSWER} (see wellkept status).")


def test_a_server_that_drips_its_answer(hurried: None) -> None:
    def drip(connection: socket.socket) -> None:
        with contextlib.suppress(OSError):
            for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + b" " * 100_000:
                connection.send(bytes([byte]))
                threading.Event().wait(0.02)

    with answering(drip):
        assert said() in (LATE, f"Memory unavailable: {client.NO_ANSWER} (see wellkept status).")


@pytest.mark.parametrize(
    "reply",
    [
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n<html>",
        b"HTTP/1.1 200 OK\r\nContent-Length: -4\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnull",
        b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n{'a}",
        b"x" * 200_000,
    ],
)
def test_another_program_in_the_servers_place(reply: bytes) -> None:
    def send(connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            connection.recv(65536)
            connection.sendall(reply)

    with answering(send):
        assert said() == f"Memory unavailable: {client.NONSENSE}."


def test_a_server_that_dies_in_mid_answer() -> None:
    def break_off(connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")

    with answering(break_off):
        assert said() == f"Memory unavailable: {client.BROKE_OFF} (see wellkept status)."


def test_a_server_that_takes_no_more_connections(hurried: None) -> None:
    with contextlib.ExitStack() as stack:
        full = stack.enter_context(socket.socket(socket.AF_UNIX))
        full.bind(str(paths.socket_file()))
        full.listen(0)
        for _ in range(3):
            waiting = stack.enter_context(socket.socket(socket.AF_UNIX))
            waiting.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                waiting.connect(str(paths.socket_file()))
        assert said() in (LATE, f"Memory unavailable: {client.NO_ANSWER} (see wellkept status).")


@pytest.mark.parametrize(
    "given",
    [b"", b"{", b"[1]", b"null", b"\xff\xfe\x00", b"[" * 100_000, b'{"prompt": 3}', b"{}"],
)
def test_input_that_is_no_payload_is_named(given: bytes) -> None:
    text = context(hook("front", given=given), "UserPromptSubmit")
    assert text.startswith("Memory unavailable: the client sent n")


def test_a_huge_input_is_refused() -> None:
    text = context(hook("front", given=b" " * (17 * 1024 * 1024)), "UserPromptSubmit")
    assert text == "Memory unavailable: the request is larger than 16 MB."


@pytest.mark.parametrize(
    "arguments",
    [[], ["front", "back"], ["sideways"], ["front", "--client"], ["front", "--client", "other"]],
)
def test_arguments_that_are_none_of_ours_do_nothing(arguments: list[str]) -> None:
    assert hook(*arguments, given=prompt("x")) == b""


def test_a_state_folder_that_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    for folder in (file, file / "below", Path("~nobody-here/x")):
        printed = hook("front", given=prompt("x"), WELLKEPT_HOME=str(folder))
        assert context(printed, "UserPromptSubmit").startswith("Memory unavailable: ")


def _start(**streams: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-I", "-m", "memory_core.hooks.main", "front"]
    return subprocess.Popen(command, **streams)  # type: ignore[call-overload, no-any-return]


def test_a_client_that_never_closes_standard_input_gets_the_watchdogs_line(hurried: None) -> None:
    with _start(stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        printed = process.stdout.read()
        assert process.wait(20) == 0
    assert context(printed, "UserPromptSubmit") == LATE


def test_a_client_that_reads_nothing_does_not_hold_the_hook(hurried: None) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writing, b"x" * 4096)
    os.set_blocking(writing, True)
    with _start(stdin=subprocess.DEVNULL, stdout=writing) as process:
        assert process.wait(20) == 0
    os.close(writing)
    os.close(reading)


@pytest.mark.parametrize("streams", ["0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"])
def test_closed_streams_are_harmless(streams: str) -> None:
    hook_line = f"'{sys.executable}' -I -m memory_core.hooks.main front {streams}"
    done = subprocess.run(
        ["/bin/sh", "-c", hook_line], input=b"{}", capture_output=True, timeout=20, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    if "1>&-" not in streams:
        assert context(done.stdout, "UserPromptSubmit").startswith("Memory unavailable: ")


def test_a_reader_that_went_away_is_harmless() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with _start(stdin=subprocess.DEVNULL, stdout=writing, stderr=subprocess.PIPE) as process:
        os.close(writing)
        assert process.stderr and process.stderr.read() == b""
        assert process.wait(20) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_polite_signal_ends_it_with_0(number: signal.Signals) -> None:
    with answering(lambda connection: connection.recv(1)):
        with _start(stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            _until_watched(process)
            process.send_signal(number)
            assert process.wait(20) == 0


def _until_watched(process: subprocess.Popen[bytes]) -> None:
    """Until the watchdog's thread runs, so that the signal handlers are in place."""
    tasks = Path(f"/proc/{process.pid}/task")
    if not tasks.exists():
        threading.Event().wait(0.2)
    while tasks.exists() and process.poll() is None and len(list(tasks.iterdir())) < 2:
        pass
