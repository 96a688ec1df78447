"""The page's tables and tiles, as plain rows of text."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_core.benchmark.questions import HELDOUT, SETS
from memory_core.cli.review import told
from memory_core.readings.runs import ROUTINES


@dataclass(frozen=True, slots=True)
class Table:
    """`numeric` are the columns, from 0, that are set to the right."""

    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[Any]]
    numeric: Collection[int] = ()


@dataclass(frozen=True, slots=True)
class Tile:
    """A reading at a glance."""

    name: str
    value: str
    more: str = ""


def tiles(document: Mapping[str, Any]) -> list[Tile]:
    """What a person wants to know first."""
    server, index, hooks = (document[name] for name in ("server", "index", "hooks"))
    carried = [one for one in document["carry"].values() if one.get("characters") is not None]
    waiting = document["proposals"].get("waiting", 0)
    return [
        Tile("Server", server["status"], f"answers in {server['round_trip_ms']:.0f} ms"
             if "round_trip_ms" in server else server["reason"]),
        Tile("Front hook, p50", _ms(hooks, "p50"), told.counted(hooks["calls"], "call")),
        Tile("Front hook, p95", _ms(hooks, "p95"), _answers(hooks)),
        *(_score(name, document["scores"].get(name)) for name in SETS),
        Tile("Clearance", number(index.get("clearance"), 2), str(index.get("calibration", ""))),
        Tile("To carry", f"{sum(one['characters'] for one in carried):,}",
             f"characters, about {sum(one['tokens'] for one in carried):,} tokens"),
        Tile("Decisions that wait", str(waiting), "wellkept review" if waiting else ""),
    ]  # fmt: skip


def findings_lead(found: Mapping[str, Any]) -> str:
    """Which run it was."""
    if not found:
        return ""
    listed = told.counted(len(found["findings"]), "finding")
    offered = sum(1 for one in found["findings"] if one.get("number"))
    return (
        f"{listed} of the run of {_moment(found['at'])}; {offered} are offered by their number in"
        f" proposal {found['proposal']}. What is handed to dream is for dream to offer."
    )


def findings(found: Mapping[str, Any]) -> Table | None:
    """Every finding with its number and its measured effect; None before a run reported."""
    if not found or not found["findings"]:
        return None
    rows = [
        (
            one.get("number") or "-", one.get("audit", ""),
            ", ".join(map(str, (one.get("where", ""), *(one.get("also") or ())))),
            one.get("said", ""), "handed to dream" if one.get("handed") else _effect(one),
        )
        for one in found["findings"]
    ]  # fmt: skip
    heads = ("number", "audit", "where", "what", "measured effect")
    return Table("Findings of the last optimize run", heads, rows, {0})


def waiting(proposals: Mapping[str, Any]) -> Table | None:
    """The proposals that wait."""
    rows = [
        (one["proposal"], one["routine"], one["subject"], one["items"], _moment(one["at"]))
        for one in proposals.get("open", ())
    ]
    heads = ("proposal", "routine", "about", "items", "since")
    return Table("Proposals that wait, oldest first", heads, rows, {0, 3}) if rows else None


def runs(proposals: Mapping[str, Any]) -> Table:
    """Each routine, also one that never ran."""
    last = {run["routine"]: run for run in proposals.get("runs", ())}
    rows = [
        (name, _moment(last[name]["at"]), last[name]["state"], last[name]["why"])
        if name in last else (name, "never", "", "")
        for name in dict.fromkeys([*ROUTINES, *last])
    ]  # fmt: skip
    return Table("Last runs", ("routine", "when", "how it ended", "why"), rows)


def carry(document: Mapping[str, Any]) -> Table:
    """What every session begins with."""
    file, digest = document.get("always_loaded") or {}, document.get("digest") or {}
    rows = []
    if file:
        rows.append((file["file"], f"{file['characters']:,}", f"{file['tokens']:,}",
                     file["problem"] or f"of {file['cap']:,} characters"))  # fmt: skip
    if "characters" in digest:
        lines = told.counted(digest["lines"], "line")
        rows.append(("digest", f"{digest['characters']:,}", f"{digest['tokens']:,}", lines))
    heads = ("what", "characters", "tokens", "")
    return Table("Read by an agent at every start", heads, rows, {1, 2})


def banks(found: Sequence[Mapping[str, Any]]) -> Table | None:
    """How full each bank is."""
    rows = [
        (one["bank"], one["kind"], one["memories"], one["hard"], "full" if one["full"] else "")
        for one in found
    ]
    heads = ("bank", "kind", "memories", "limit", "")
    return Table("Memories by bank", heads, rows, {2, 3}) if rows else None


def number(value: float | None, decimals: int = 3) -> str:
    """A number, or a dash for none."""
    return "-" if value is None else f"{value:.{decimals}f}"


def _effect(finding: Mapping[str, Any]) -> str:
    effect = finding.get("effect")
    said = effect.get("said") if isinstance(effect, Mapping) else effect
    return str(said or "-")


def _score(name: str, run: Mapping[str, Any] | None) -> Tile:
    title = f"hit@3, {'held-out' if name == HELDOUT else 'working'}"
    if not run:
        return Tile(title, "-", "never asked")
    return Tile(title, number(run["hit@3"]), f"{run['questions']} questions, {_moment(run['at'])}")


def _answers(hooks: Mapping[str, Any]) -> str:
    return f"notes {hooks['notes']}, nothing {hooks['nothing']}, unavailable {hooks['unavailable']}"


def _ms(hooks: Mapping[str, Any], name: str) -> str:
    value = hooks["latency_ms"].get(name)
    return "-" if value is None else f"{value:.0f} ms"


def _moment(text: str) -> str:
    return f"{datetime.fromisoformat(text).astimezone():%Y-%m-%d %H:%M}"
