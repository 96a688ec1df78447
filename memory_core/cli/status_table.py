"""The status document as a person reads it: a name and a value a line, what is wrong at the end."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import typer

from memory_core.benchmark.questions import HELDOUT
from memory_core.cli.review import standing, told

_BANKS = 5  # told one by one
_NAME = 12  # characters of the first column
_MARKS = {"down": "DOWN", "person": "needs you", "notice": "note"}
_STYLES = {"down": "bold red", "person": "bold yellow", "notice": "cyan"}
_SCORES = ("hit@3", "answered", "point", "quiet")


def show(document: dict[str, Any]) -> None:
    """Print it; with colours and wrapped values on a terminal, one line a value elsewhere."""
    (_framed if sys.stdout.isatty() else _plain)(document)


def lines(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Everything but the problems, as name and value; every value is one clean line."""
    found = [*_server(document), *_floor(document), *_hook(document), *_scores(document)]
    found += [*_carried(document), *_banks(document), *_kept(document)]
    return [(name, told.line(value)) for name, value in found]


def _plain(document: dict[str, Any]) -> None:
    for name, value in lines(document):
        typer.echo(f"{name:<{_NAME}} {value}")
    for problem in document["problems"]:
        typer.echo(f"{_MARKS[problem['level']]:<{_NAME}} {_told(problem)}")


def _framed(document: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 1))
    table.add_column(style="bold", min_width=_NAME, no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in lines(document):
        table.add_row(name, Text(value))
    for problem in document["problems"]:
        style = _STYLES[problem["level"]]
        table.add_row(Text(_MARKS[problem["level"]], style), Text(_told(problem), style))
    if not document["problems"]:
        table.add_row(Text("all well", "bold green"), "")
    Console(highlight=False).print(table)


def _told(problem: dict[str, str]) -> str:
    remedy = f" -> {problem['remedy']}" if problem["remedy"] else ""
    return told.line(f"{problem['said']}{remedy}")


def _server(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    server, readings, place = (document[name] for name in ("server", "readings", "place"))
    if not readings:
        yield "server", f"unavailable: {server['reason']}"
    else:
        reason = f": {server['reason']}" if server["reason"] else ""
        trip = f"answers in {server['round_trip_ms']:.0f} ms"
        life = f"process {server['pid']}, {_life(readings)}"
        yield "server", f"{server['status']}{reason}, {trip}, {life}"
    yield "memory of", place["user"]
    yield "project", place["scope"]
    yield "vault", place["vault"] or "none set: wellkept init FOLDER"
    if index := document["index"]:
        yield "notes", _size(index)


def _life(readings: dict[str, Any]) -> str:
    restarts = told.counted(readings["restarts"], "restart")
    at = readings["last_restart"]
    since = f", the last one {told.moment(at)}" if at else ""
    return f"up {readings['uptime_s'] / 60:.0f} min, {restarts}{since}, {readings['rss_mb']} MB"


def _size(index: dict[str, Any]) -> str:
    text = f"{index['notes']} notes, {index['passages']} passages"
    waiting = index["waiting_for_vectors"]
    if waiting:
        return f"{text}, {waiting} still to be embedded"
    return f"{text}, index being built" if index["building"] else text


def _floor(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    index = document["index"]
    if not index:
        return
    if index["floor"] is None:
        yield "floor", f"none: {index['calibration']}"
        return
    yield "floor", f"{index['floor']:.2f}, {index['calibration']}"
    worst = f"; nearest nonsense {index['worst']}" if index["worst"] else ""
    chosen = f"; quiet {index['quiet']} by choice" if index.get("quiet") is not None else ""
    told = f"{index['clearance']:.2f}, measured {_ago(index['clearance_at'])}"
    yield "clearance", f"{told}{worst}{chosen}"


def _hook(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    hooks = document["hooks"]
    if not hooks["calls"]:
        yield "front hook", "not asked yet"
    else:
        counts = f"notes {hooks['notes']}, nothing {hooks['nothing']}"
        why = ", ".join(f"{kind} {count}" for kind, count in hooks["why"].items())
        refused = f"unavailable {hooks['unavailable']}" + (f" ({why})" if why else "")
        since = told.moment(hooks["since"])
        yield "front hook", _latency(hooks["latency_ms"])
        calls = told.counted(hooks["calls"], "call")
        yield "its answers", f"{counts}, {refused}; {calls} since {since}"
    if document["readings"]:
        latency = document["readings"]["latency_ms"].get("server", {})
        yield "recall", f"{_latency(latency)}, in the server"


def _latency(found: dict[str, Any]) -> str:
    if not found.get("n"):
        return "not asked yet"
    return f"p50 {found['p50']:.0f} ms, p95 {found['p95']:.0f} ms over {found['n']} requests"


def _scores(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, run in document["scores"].items():
        label = "held-out set" if name == HELDOUT else "working set"
        if not run:
            option = f" --set {HELDOUT}" if name == HELDOUT else ""
            yield label, f"never asked: wellkept bench run{option}"
            continue
        shares = ", ".join(
            f"{score} {run[score]:.3f}" for score in _SCORES if run[score] is not None
        )
        yield label, f"{shares or 'no score'} of {run['questions']} questions, {_ago(run['at'])}"


def _carried(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    file, digest = (document["carry"].get(name) or {} for name in ("always_loaded", "digest"))
    if file.get("problem"):
        yield "always loaded", f"{file['file']}: {file['problem']}"
    elif file:
        size = f"{file['characters']:,} of {file['cap']:,} characters, about {file['tokens']:,}"
        yield "to carry", f"{file['file']} {size} tokens" if file["exists"] else "no always-loaded"
    if digest.get("problem"):
        yield "digest", digest["problem"]
    elif digest:
        size = f"{digest['characters']:,} characters, about {digest['tokens']:,} tokens"
        yield "digest", f"{told.counted(digest['lines'], 'line')}, {size}"


def _banks(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Full banks and those of this project first, then the largest; the rest as a sum."""
    here = document["place"]["scope"]

    def first(bank: dict[str, Any]) -> tuple[bool, bool, int]:
        return (not bank["full"], not (here and bank["bank"].endswith(here)), -bank["memories"])

    banks = sorted(document["banks"], key=first)
    for bank in banks[:_BANKS]:
        held = f"{bank['bank']}: {bank['memories']} memories"
        refuses = f"{held}, no new key until some are dropped: wellkept memories"
        yield "bank", refuses if bank["full"] else f"{held} of {bank['hard']}"
    if more := banks[_BANKS:]:
        yield "more banks", f"{len(more)}, {sum(bank['memories'] for bank in more)} memories"


def _kept(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    record = document["record"]
    if "problem" not in record:
        waiting = f", {record['waiting']} events waiting" if record["waiting"] else ""
        counts = f"{record['sessions']} sessions, {record['exchanges']} exchanges"
        yield "record", f"{counts}, {record['characters'] / 1e6:.1f} million characters{waiting}"
    yield "routines", document["routines"]["said"]
    if document["panel"]:
        yield "panel", document["panel"]
    if "problem" not in document["proposals"]:
        yield from standing.lines(document["proposals"])


def _ago(moment: str | None) -> str:
    return told.age(datetime.fromisoformat(moment), datetime.now(UTC)) if moment else "never"
