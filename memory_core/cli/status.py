"""`status`: is memory well, in a round trip to the server; what it holds, costs and waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from memory_core.cli.output import Json, print_json

if TYPE_CHECKING:
    from memory_core.settings import Settings
    from memory_core.store.database import Database

PATIENCE_S = 5.0


def status(json: Json = False) -> None:
    """Show how memory is; exit 0 = well, 3 = it does not answer, 4 = it needs a person."""
    from memory_core.cli import status_table

    document = read()
    print_json(document) if json else status_table.show(document)
    raise typer.Exit(document["exit_code"])


def read() -> dict[str, Any]:
    """The document that `--json` prints; docs/readings.md names its parts.

    `index` and `readings` are empty when nobody answers. Raises `SettingsError`.
    """
    from memory_core import settings
    from memory_core.readings import faults
    from memory_core.text import TOKEN_BYTES

    chosen = settings.load()
    document = {
        "place": _place(chosen),
        **_asked(),
        **_stored(chosen),
        "panel": _panel(chosen),
        "routines": _routines(chosen),
        "tokens": f"estimated, one for {TOKEN_BYTES} bytes of UTF-8",
    }
    found = faults.of(document)
    code = faults.exit_code(found)
    problems = [fault.as_json() for fault in found]
    return {"healthy": code == 0, "exit_code": code, "problems": problems, **document}


def _asked() -> dict[str, Any]:
    """`{server, index, readings, hooks}`: what the server says of itself, in a real round trip."""
    import time

    from memory_core.errors import WellkeptError
    from memory_core.readings import hook_calls
    from memory_core.server import protocol
    from memory_core.server.client import Client
    from memory_core.store import calls

    client = Client(PATIENCE_S)
    try:
        began = time.perf_counter()
        health = client.call(protocol.HEALTH)
        health["round_trip_ms"] = round((time.perf_counter() - began) * 1000, 1)
        index, readings = client.call(protocol.INDEX), client.call(protocol.READINGS)
        if {"status", "protocol"} <= health.keys() and "hooks" in readings:
            hooks = readings["hooks"]
            return {"server": health, "index": index, "readings": readings, "hooks": hooks}
        reason, remedy = "another version's server answers", "wellkept down, then wellkept up"
        server = {"status": "unavailable", "reason": reason, "remedy": remedy}
    except WellkeptError as error:
        server = {"status": "unavailable", "reason": error.message, "remedy": error.remedy}
    hooks = hook_calls.told(calls.peek(hook_calls.WINDOW))
    return {"server": server, "index": {}, "readings": {}, "hooks": hooks}


def _stored(chosen: Settings) -> dict[str, Any]:
    """What the database and the vault hold; `{problem}` in place of what cannot be read."""
    from sqlalchemy.exc import SQLAlchemyError

    from memory_core.errors import WellkeptError
    from memory_core.store.database import Database

    try:
        return _held(chosen, Database(chosen.resolved_database_url))
    except WellkeptError as error:
        problem = str(error)
    except (SQLAlchemyError, ValueError) as error:  # a row of ours that is no JSON any more
        problem = f"the database cannot be read: {type(error).__name__}"
    return {
        "record": {"problem": problem}, "proposals": {"problem": problem}, "scores": {},
        "carry": {}, "banks": [], "full": [], "warning": "",
    }  # fmt: skip


def _held(chosen: Settings, database: Database) -> dict[str, Any]:
    from memory_core.cli.review import standing
    from memory_core.readings import record, scores, sizes

    banks = sizes.banks(database, chosen)
    full = [{"bank": one["bank"], "memories": one["memories"]} for one in banks if one["full"]]
    return {
        "record": record.told(database),
        "proposals": standing.read(database, chosen.user),
        "scores": scores.latest(database, str(chosen.vault or "")),
        "warning": scores.warning(database, str(chosen.vault or "")),
        "carry": _carry(chosen, database),
        "banks": banks,
        "full": full,
    }


def _carry(chosen: Settings, database: Database) -> dict[str, Any]:
    """`{always_loaded, digest}`, the digest as a session in this folder has it."""
    from pathlib import Path

    from memory_core.banks.banks import open_banks
    from memory_core.banks.project import context_at
    from memory_core.errors import WellkeptError
    from memory_core.readings import carry

    try:
        banks = open_banks(chosen, database)
        digest = carry.standing_index(banks, context_at(banks.rules, chosen.user, Path.cwd()))
    except (WellkeptError, OSError) as error:
        digest = {"problem": str(error)}
    return {"always_loaded": carry.always_loaded(chosen), "digest": digest}


def _routines(chosen: Settings) -> dict[str, str]:
    """`{state, said}`: off, down, starting or ready, and where Prefect's page is."""
    from deployments import children, orchestrator
    from memory_core import paths
    from memory_core.server.lock import ProcessLock

    if not chosen.routines:
        return {"state": "off", "said": "off (the setting `routines`)"}
    if not orchestrator.answers(chosen, 1.0):
        said = f"Prefect does not answer at {orchestrator.api_url(chosen)}"
        return {"state": "down", "said": said}
    served = ProcessLock(paths.home() / children.ROUTINES_LOCK).held()
    state = "ready" if served else "starting"
    return {"state": state, "said": f"{state}, {orchestrator.ui_url(chosen)}"}


def _panel(chosen: Settings) -> str:
    """Who objects to a dream's draft, or why the panel is refused; "" without one."""
    from memory_core import llm
    from memory_core.errors import WellkeptError

    try:
        members = llm.panel(chosen)
    except WellkeptError as error:
        return f"refused: {error}"
    return ", ".join(f"{member.name} ({member.vendor})" for member in members)


def _place(chosen: Settings) -> dict[str, str]:
    """Whose memory, and of which project, a session in this folder has."""
    from pathlib import Path

    from memory_core.banks.project import scope_of

    try:
        scope = scope_of(Path.cwd())
    except OSError:
        scope = ""
    return {"user": chosen.user, "scope": scope, "vault": str(chosen.vault or "")}
