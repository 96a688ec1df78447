"""The three histories: scores of both sets, the clearance, the front hook's latency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Any

from markupsafe import Markup

from memory_core.benchmark.questions import HELDOUT, WORKING
from memory_core.cli.report.chart import Chart, Line, draw
from memory_core.cli.report.gathered import Gathered
from memory_core.cli.report.tables import Table, number
from memory_core.readings import hook_calls

_NAMES = {WORKING: "working set", HELDOUT: "held-out set"}


@dataclass(frozen=True, slots=True)
class Part:
    """A section with a chart; `none` is said where there is nothing to draw yet."""

    name: str
    title: str
    lead: str
    svg: Markup
    lines: Sequence[Line]
    table: Table
    none: str
    warning: str = ""


def scores(gathered: Gathered) -> Part:
    """hit@3 of both sets over time."""
    found = [
        _scored(_NAMES[name], form, runs)
        for (name, runs), form in zip(gathered.scores.items(), "ab", strict=False)
    ]
    lines = [line for line in found if line.points]
    title = "Scores of both question sets"
    rows = [
        (
            _NAMES[name], _day(run["at"]), run["questions"], number(run["hit@3"]),
            number(run["answered"]), number(run["quiet"]), run["vault_commit"][:9] or "-",
        )
        for name, runs in gathered.scores.items()
        for run in reversed(runs)
    ]  # fmt: skip
    heads = ("set", "when", "questions", "hit@3", "answered", "quiet", "vault commit")
    return Part(
        "scores", title,
        "Share of the questions whose note is among the best three. The working set is tuned"
        " against, the held-out set never is: only a rise of both is an improvement. A line ends"
        " where the models were exchanged.",
        draw(Chart("scores-chart", title, _told(lines, "{:.3f}"), lines, decimals=3)),
        lines, Table("Every run, newest first", heads, rows, {2, 3, 4, 5}),
        "No benchmark has run yet: wellkept bench run.", str(gathered.status["warning"]),
    )  # fmt: skip


def clearance(gathered: Gathered) -> Part:
    """The clearance over time, with its zero line."""
    measured = gathered.clearances
    points = [(one.at, one.value) for one in measured]
    breaks = _breaks([one.judge for one in measured])
    lines = [Line("clearance", "a", points, breaks)] if points else []
    title = "Clearance"
    rows = [
        (
            f"{one.at:%Y-%m-%d %H:%M}", number(one.value, 2), number(one.floor, 2),
            "new floor" if one.calibrated else "daily", one.worst or "-", one.judge,
        )
        for one in reversed(measured)
    ]  # fmt: skip
    heads = ("when (UTC)", "clearance", "floor", "how", "nearest nonsense", "judge")
    chart = Chart(
        "clearance-chart", title, _told(lines, "{:.2f}"), lines,
        ((0.0, "0: nonsense would pass"),),
    )  # fmt: skip
    return Part(
        "clearance", title,
        "The floor minus the best score that any nonsense question reaches in the vault as it"
        " was that day. Under zero, nonsense is shown. A line ends where the models were"
        " exchanged.",
        draw(chart), lines, Table("Every measurement, newest first", heads, rows, {1, 2}),
        "No floor was measured yet: wellkept calibrate.",
    )  # fmt: skip


def latency(gathered: Gathered) -> Part:
    """What people waited for the front hook, a day a point."""
    days = hook_calls.by_day(gathered.calls)
    noons = {day: datetime.combine(day, time(12), UTC) for day in days}
    lines = [
        Line(name, form, [(noons[day], found[name]) for day, found in days.items()])
        for name, form in (("p50", "a"), ("p95", "b"))
        if days
    ]
    title = "Front hook, milliseconds"
    rows = [
        (f"{day:%Y-%m-%d}", number(found["p50"], 0), number(found["p95"], 0), found["n"])
        for day, found in reversed(days.items())
    ]
    limit = gathered.deadline_ms
    chart = Chart(
        "latency-chart", title, _told(lines, "{:.0f} ms"), lines, ((limit, f"limit {limit}"),),
        decimals=0,
    )  # fmt: skip
    return Part(
        "latency", title,
        "From the start of the hook's process to the server's answer, of real calls; the"
        " median and the 95th percentile of each day (UTC).",
        draw(chart), lines, Table("Each day, newest first", ("day", "p50", "p95", "calls"),
                                  rows, {1, 2, 3}),
        "The front hook was not called yet.",
    )  # fmt: skip


def _scored(name: str, form: str, runs: Sequence[dict[str, Any]]) -> Line:
    told = [run for run in runs if run["hit@3"] is not None]
    points = [(datetime.fromisoformat(run["at"]), run["hit@3"]) for run in told]
    return Line(name, form, points, _breaks([run["judge"] for run in told]))


def _breaks(judges: Sequence[str]) -> list[int]:
    """Where the models were exchanged: what was measured with others does not compare."""
    return [at for at in range(1, len(judges)) if judges[at] != judges[at - 1]]


def _told(lines: Sequence[Line], form: str) -> str:
    """The chart in words: where each line began, where it is, and how many points it has."""
    return " ".join(
        f"{line.name}: from {form.format(line.points[0][1])} on {line.points[0][0]:%Y-%m-%d} to"
        f" {form.format(line.points[-1][1])} on {line.points[-1][0]:%Y-%m-%d},"
        f" {len(line.points)} points."
        for line in lines
    )


def _day(moment: str) -> str:
    return f"{datetime.fromisoformat(moment):%Y-%m-%d %H:%M}"
