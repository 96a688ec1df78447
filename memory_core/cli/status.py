"""`status`: is memory well, in a round trip to the server."""

from __future__ import annotations

from typing import Any

import typer

from memory_core.cli.output import Json, print_json


def status(json: Json = False) -> None:
    """Show server, vault, floor and latencies; exit 0 when healthy, 1 when not."""
    document = read()
    if json:
        print_json(document)
    else:
        for name, value in lines(document):
            typer.echo(f"{name:<12} {value}")
    raise typer.Exit(0 if document["healthy"] else 1)


def read() -> dict[str, Any]:
    """`{healthy, place, panel, routines, server, index, readings, record, proposals, full}`.

    Index and readings are empty when nobody answers.
    Healthy = the server is ready, its index complete and its floor measured.
    """
    from memory_core.errors import ServerUnavailable
    from memory_core.server import protocol
    from memory_core.server.client import Client

    client, empty = Client(5.0), {"healthy": False, "index": {}, "readings": {}}
    empty |= {"place": _place(), "panel": _panel(), "routines": _routines(), **_stored()}
    try:
        health = client.call(protocol.HEALTH)
        index, readings = client.call(protocol.INDEX), client.call(protocol.READINGS)
    except ServerUnavailable as error:
        return empty | {"server": {"status": "unavailable", "reason": str(error)}}
    healthy = (
        health["status"] == "ready"
        and not health["reason"]
        and not index["building"]
        and index["floor"] is not None
    )
    return empty | {"healthy": healthy, "server": health, "index": index, "readings": readings}


def lines(document: dict[str, Any]) -> list[tuple[str, str]]:
    """What a person reads, as name and value."""
    server, index, readings = (document[name] for name in ("server", "index", "readings"))
    reason = f": {server['reason']}" if server["reason"] else ""
    place = document["place"]
    found = [("server", f"{server['status']}{reason}"), ("memory of", place["user"])]
    found.append(("project", place["scope"]))
    found.append(("routines", document["routines"]))
    found += [("panel", document["panel"])] if document["panel"] else []
    if not index:
        return [*found, ("record", _recorded(document["record"])), *_decisions(document)]
    found[0] = ("server", f"{found[0][1]}, process {server['pid']}, {_life(readings)}")
    found += [
        ("vault", index["vault"] or "none set"),
        ("notes", _size(index)),
        ("floor", _floor(index)),
        ("hook", _latency(readings, "hook")),
        ("recall", _latency(readings, "server")),
        ("record", _recorded(document["record"])),
        *_decisions(document),
    ]
    return found + [("problem", _problem(one)) for one in index["problems"]]


def _routines() -> str:
    """Whether the flows are served, and where Prefect's page is."""
    from deployments import children, orchestrator
    from memory_core import paths, settings
    from memory_core.errors import WellkeptError
    from memory_core.server.lock import ProcessLock

    try:
        chosen = settings.load()
    except WellkeptError as error:
        return str(error)
    if not chosen.routines:
        return "off (the setting `routines`)"
    if not orchestrator.answers(chosen, 1.0):
        return f"Prefect does not answer at {orchestrator.api_url(chosen)}"
    served = ProcessLock(paths.home() / children.ROUTINES_LOCK).held()
    return f"{'ready' if served else 'starting'}, {orchestrator.ui_url(chosen)}"


def _panel() -> str:
    """Who objects to a dream's draft, or why the panel is refused; "" without one."""
    from memory_core import llm, settings
    from memory_core.errors import WellkeptError

    try:
        members = llm.panel(settings.load())
    except WellkeptError as error:
        return f"refused: {error}"
    return ", ".join(f"{member.name} ({member.vendor})" for member in members)


def _stored() -> dict[str, Any]:
    """`record: {sessions, exchanges, characters, waiting}` and `proposals`, or `{problem}` each.

    `full` are the banks that take no new key: `[{bank, memories}]`.
    """
    from dataclasses import asdict

    from sqlalchemy.exc import SQLAlchemyError

    from memory_core import settings
    from memory_core.banks.banks import Banks
    from memory_core.cli.review import standing
    from memory_core.errors import WellkeptError
    from memory_core.hooks import spool
    from memory_core.record.sessions import size
    from memory_core.store.database import Database

    try:
        chosen = settings.load()
        database = Database(chosen.resolved_database_url)
        record = asdict(size(database)) | {"waiting": len(spool.names())}
        latched = Banks(database).full(chosen.user)
        full = [{"bank": str(one.bank), "memories": one.count} for one in latched]
        proposals = standing.read(database, chosen.user)
        return {"record": record, "proposals": proposals, "full": full}
    except WellkeptError as error:
        problem = error.message
    except SQLAlchemyError as error:
        problem = f"the database cannot be read: {type(error).__name__}"
    return {"record": {"problem": problem}, "proposals": {"problem": problem}, "full": []}


def _decisions(document: dict[str, Any]) -> list[tuple[str, str]]:
    from memory_core.cli.review import standing

    found = document["proposals"]
    full = [
        (
            "full",
            f"{one['bank']}: {one['memories']} memories, no new key until some are"
            " dropped: wellkept memories",
        )
        for one in document["full"]
    ]
    return full if "problem" in found else [*standing.lines(found), *full]


def _recorded(record: dict[str, Any]) -> str:
    if "problem" in record:
        return str(record["problem"])
    waiting = f", {record['waiting']} events waiting" if record["waiting"] else ""
    megabytes = record["characters"] / 1e6
    return (
        f"{record['sessions']} sessions, {record['exchanges']} exchanges, "
        f"{megabytes:.1f} million characters{waiting}"
    )


def _place() -> dict[str, str]:
    """Whose memory, and of which project, a session in this folder has."""
    from pathlib import Path

    from memory_core import settings
    from memory_core.banks.project import scope_of

    return {"user": settings.load().user, "scope": scope_of(Path.cwd())}


def _life(readings: dict[str, Any]) -> str:
    minutes = readings["uptime_s"] / 60
    since = f", the last one {readings['last_restart']}" if readings["last_restart"] else ""
    return f"up {minutes:.0f} min, {readings['restarts']} restarts{since}, {readings['rss_mb']} MB"


def _size(index: dict[str, Any]) -> str:
    text = f"{index['notes']} notes, {index['passages']} passages"
    waiting = index["waiting_for_vectors"]
    if waiting:
        return f"{text}, {waiting} still to be embedded"
    return f"{text}, index being built" if index["building"] else text


def _floor(index: dict[str, Any]) -> str:
    if index["floor"] is None:
        return f"none: {index['calibration']}"
    return f"{index['floor']:.2f}, clearance {index['clearance']:.2f}, {index['calibration']}"


def _latency(readings: dict[str, Any], stage: str) -> str:
    found = readings["latency_ms"].get(stage, {})
    if not found.get("n"):
        return "not asked yet"
    return f"p50 {found['p50']:.0f} ms, p95 {found['p95']:.0f} ms over {found['n']} requests"


def _problem(problem: dict[str, str]) -> str:
    return f"{problem['file']}: {problem['message']}" if problem["file"] else problem["message"]
