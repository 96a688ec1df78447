"""What every client stands on: state folder, settings, server, floor, record."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

from memory_core import paths
from memory_core.errors import WellkeptError
from memory_core.hooks import spool
from memory_core.installers.doctor.link import Link
from memory_core.server import client, protocol
from memory_core.server.client import Client
from memory_core.server.lock import ProcessLock

PART = "wellkept"
_PATIENCE_S = 5.0
_WAITS_S = 600.0  # a busy machine stores within minutes
_RESTART = "wellkept down, then wellkept up --detach"


def links() -> Iterator[Link]:
    """Each link, in the order in which they hold each other."""
    yield _home()
    yield _settings()
    yield _panel()
    try:
        health = Client(_PATIENCE_S).call(protocol.HEALTH)
    except WellkeptError as error:
        yield _silent(error)
    else:
        yield _server(health)
        yield from _index(health)
    yield _record()


def _home() -> Link:
    folder = paths.home().absolute()
    if not folder.is_dir():
        return Link(PART, "state", "broken", f"{folder} is not there", "wellkept init FOLDER")
    if not os.access(folder, os.W_OK | os.X_OK):
        return Link(PART, "state", "broken", f"{folder} cannot be written", f"chmod u+rwx {folder}")
    return Link(PART, "state", "ok", str(folder))


def _settings() -> Link:
    from memory_core import settings

    try:
        vault = settings.load().vault
    except WellkeptError as error:
        return Link(PART, "settings", "broken", error.message, error.remedy or "repair them")
    if vault is None:
        return Link(PART, "settings", "broken", "no vault is named", "wellkept init FOLDER")
    if not vault.is_dir():
        said = f"the vault {vault} is no folder"
        return Link(PART, "settings", "broken", said, "wellkept init FOLDER")
    return Link(PART, "settings", "ok", f"vault {vault}")


def _panel() -> Link:
    """The models that object to a dream's draft: three makers, or why not."""
    from memory_core import llm, settings

    try:
        chosen = settings.load()
    except WellkeptError:
        return Link(PART, "panel", "absent", "the settings cannot be read")
    try:
        members = llm.panel(chosen)
    except WellkeptError as error:
        remedy = error.remedy or "correct panel_models"
        return Link(PART, "panel", "broken", error.message, remedy)
    if not members:
        return Link(PART, "panel", "absent", "panel_models is empty: nobody objects to a dream")
    told = ", ".join(f"{member.name} ({member.vendor})" for member in members)
    return Link(PART, "panel", "ok", told)


def _server(health: dict[str, Any]) -> Link:
    spoken, running = health.get("protocol"), health.get("version", "unknown")
    if spoken != protocol.VERSION:
        said = f"the running server is another version ({running}, this one is {_version()})"
        return Link(PART, "server", "broken", said, _RESTART)
    if health.get("status") == "loading":
        return _passing("server", f"starting: {health.get('reason')}")
    if health.get("status") != "ready" or health.get("reason"):
        said = f"{health.get('status')}: {health.get('reason') or 'it is not ready yet'}"
        return Link(PART, "server", "broken", said, "wait a moment, then see wellkept status")
    if running != _version():
        return Link(PART, "server", "notice", f"version {running}, this one is {_version()}")
    return Link(PART, "server", "ok", f"version {running}, {health.get('notes', 0)} notes")


def _silent(error: WellkeptError, name: str = "server") -> Link:
    """A server that lives and is late is slow; any other that does not answer is broken."""
    from memory_core.server.serve import LOCK  # imports what only a server needs

    held = ProcessLock(paths.home() / LOCK)
    if error.message == client.NO_ANSWER and held.held():
        pid = held.holder().get("pid", "unknown")
        said = f"slow: process {pid} runs and did not answer within {_PATIENCE_S:g} s"
        return _passing(name, said, "the machine is busy: try again when it is not")
    return Link(PART, name, "broken", error.message, error.remedy or _RESTART)


def _passing(name: str, said: str, remedy: str = "wait a moment, then try again") -> Link:
    return Link(PART, name, "notice", said, remedy, passes=True)


def _index(health: dict[str, Any]) -> Iterator[Link]:
    try:
        index = Client(_PATIENCE_S).call(protocol.INDEX)
    except WellkeptError as error:
        yield _silent(error, "index")
        return
    if health.get("building") or index.get("building"):
        yield _passing("index", "it is still being built")
    else:
        yield Link(PART, "index", "ok", f"{index.get('passages', 0)} passages")
    if index.get("floor") is None and (measuring := health.get("measuring")):
        yield _passing("floor", str(measuring))
    elif index.get("floor") is None:
        said = str(index.get("calibration") or "not measured")
        yield Link(PART, "floor", "broken", said, "wellkept calibrate")
    else:
        yield Link(PART, "floor", "ok", f"{index['floor']:.2f}")


def _record() -> Link:
    names = spool.names()
    try:
        oldest = max(0.0, time.time() - int(names[0].partition("-")[0]) / 1e9) if names else 0.0
    except ValueError:
        oldest = 0.0
    if oldest > _WAITS_S:
        said = f"{len(names)} events wait, the first for {oldest / 60:.0f} minutes"
        remedy = f"see {paths.log_folder() / 'record.log'}"
        return Link(PART, "record", "broken", said, remedy)
    return Link(PART, "record", "ok", f"{len(names)} events wait" if names else "nothing waits")


def _version() -> str:
    return version("wellkept")
