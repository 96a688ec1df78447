"""The listener is the owner's alone, and never takes the place of a living server."""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
import tempfile
from pathlib import Path

import pytest

from memory_core import paths
from memory_core.errors import Conflict, Permanent
from memory_core.server.listener import listen
from memory_core.server.lock import ProcessLock, identity, is_alive


def mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


@pytest.mark.parametrize("transport", ["unix", "tcp"])
def test_only_the_owner_can_reach_it(home: Path, transport: str) -> None:
    before = os.umask(0)
    try:
        listener = listen(transport)
    finally:
        os.umask(before)
    assert mode(listener.file) == 0o600
    if transport == "tcp":
        written = json.loads(listener.file.read_text())
        assert listener.socket.getsockname() == ("127.0.0.1", written["port"])
        assert len(written["token"]) > 40 and written["token"] == listener.token
    listener.close()
    assert not listener.file.exists()


def test_a_home_too_deep_for_a_socket_gets_one_in_the_runtime_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep, short = tmp_path / ("æ" * 60), Path(tempfile.mkdtemp())
    deep.mkdir()
    monkeypatch.setenv("WELLKEPT_HOME", str(deep))
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setattr("tempfile.tempdir", str(short))
    listener = listen("unix")
    assert len(os.fsencode(listener.file)) <= paths.SOCKET_BYTES
    assert mode(listener.file.parent) == 0o700
    listener.close()
    listener.file.parent.chmod(0o777)
    with pytest.raises(Permanent, match="not private"):
        listen("unix")
    shutil.rmtree(short)


def test_a_socket_left_by_a_dead_server_is_replaced(home: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(paths.socket_file()))
    listen("unix").close()


@pytest.mark.parametrize("transport", ["unix", "tcp"])
def test_a_socket_on_which_somebody_answers_is_left_alone(home: Path, transport: str) -> None:
    first = listen("unix")
    with pytest.raises(Conflict, match="answers on"):
        listen(transport)
    assert first.file.exists()
    first.close()


def test_a_file_in_the_sockets_place_is_not_removed(home: Path) -> None:
    paths.socket_file().write_text("mine")
    with pytest.raises(Conflict, match="is no socket"):
        listen("unix")
    assert paths.socket_file().read_text() == "mine"


def test_changing_the_transport_leaves_no_address_of_the_other(home: Path) -> None:
    listen("tcp").socket.close()
    listen("unix").socket.close()
    assert not paths.token_file().exists()
    listen("tcp").close()
    assert not paths.socket_file().exists()


def test_one_process_holds_the_lock_and_its_end_frees_it(home: Path) -> None:
    first, second = ProcessLock(home / "x.lock"), ProcessLock(home / "x.lock")
    assert not second.held()
    first.acquire("it")
    assert second.held() and second.holder() == identity(os.getpid())
    with pytest.raises(Conflict, match=f"it is running already, as process {os.getpid()}"):
        second.acquire("it")
    first.release()
    second.acquire("it")
    second.release()


def test_a_reused_process_number_is_not_taken_for_the_process(home: Path) -> None:
    mine = identity(os.getpid())
    assert is_alive(mine)
    assert not is_alive(mine | {"started": "another boot 1"})
    assert not is_alive({"pid": os.getpid()}) and not is_alive({})
    assert not is_alive(identity(2**22 + 1))
