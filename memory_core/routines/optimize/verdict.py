"""After applying: did the expected effect come?

Expected is what the applied changes did alone, added up; measured is the score of the whole
on the questions that both runs asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_core.benchmark import history
from memory_core.benchmark.comparison import Comparison, compare
from memory_core.benchmark.questions import HELDOUT, WORKING
from memory_core.proposals.proposal import APPLIED, Proposal
from memory_core.routines.optimize.effects import SHARES
from memory_core.store.database import Database

_KEYS = {"hit@3": "points", "answered": "answered", "quiet": "quiet"}


def after(
    database: Database, proposal: Proposal, scores: Mapping[str, Any], carried: int
) -> dict[str, Any]:
    """What is kept of the scores after applying: `{scores, carried, expected, measured, said}`.

    `scores` are as `proposal.window["scores"]`, `carried` the characters of the always-loaded
    file now; `said` holds a line a reading.
    """
    before = proposal.window.get("scores", {})
    wanted, lines = expected(proposal), list[str]()
    came: dict[str, float | None] = dict.fromkeys(SHARES)
    if WORKING in before and WORKING in scores:
        runs = [history.get(database, one[WORKING]["run"]) for one in (before, scores)]
        found = compare(*runs)
        came = measured(found)
        lines += said(wanted, came, found.common) if found.same_models else list(found.said)
    lines += _carried(wanted["characters"], int(proposal.window.get("carried", carried)), carried)
    lines += _heldout(before.get(HELDOUT), scores.get(HELDOUT))
    lines += [str(scores["trend"])] if scores.get("trend") else []
    return {
        "scores": dict(scores), "carried": carried, "expected": wanted, "measured": came,
        "said": lines,
    }  # fmt: skip


def applied(proposal: Proposal) -> list[Mapping[str, Any]]:
    """The findings whose change was applied, one for each."""
    numbers = {item.number for item in proposal.numbered if item.state == APPLIED}
    found = {one["number"]: one for one in proposal.window.get("findings", ())}
    return [one for number, one in found.items() if number in numbers]


def expected(proposal: Proposal) -> dict[str, float]:
    """Percentage points by share, and `characters` carried: the applied effects added up."""
    effects = [one["effect"] for one in applied(proposal) if one["effect"]]
    told = {
        share: round(sum(effect[key] or 0.0 for effect in effects), 2)
        for share, key in _KEYS.items()
    }
    return {**told, "characters": sum(effect["characters"] for effect in effects)}


def measured(found: Comparison) -> dict[str, float | None]:
    """Percentage points by share, on the questions that both asked; None where there is none."""
    told: dict[str, float | None] = {}
    for share in SHARES:
        was, now = found.shared.get(share, (None, None))
        told[share] = None if was is None or now is None else round((now - was) * 100, 2)
    return told


def said(
    wanted: Mapping[str, float], came: Mapping[str, float | None], questions: int
) -> list[str]:
    """A line a share; `questions` were asked both times, one of them is the least that shows."""
    one = 100 / questions if questions else 0.0
    lines = []
    for share in SHARES:
        want, got = wanted[share], came[share]
        if got is None:
            continue
        if got < want - one / 2:
            verdict = "less than expected"
        elif got > want + one / 2:
            verdict = "more than expected"
        else:
            verdict = "as expected"
        lines.append(f"{share}: expected {want:+.1f} points, measured {got:+.1f}: {verdict}")
    return lines


def _carried(wanted: float, before: int, after: int) -> list[str]:
    """The line about what every session reads; none where nothing was to change and nothing did."""
    change = after - before
    if not wanted and not change:
        return []
    verdict = "as expected" if change == wanted else "not as expected"
    return [f"carried: expected {wanted:+,.0f} characters, measured {change:+,}: {verdict}"]


def _heldout(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> list[str]:
    """The line about the held-out set, of which nothing but the score is known."""
    if not before or not after:
        return []
    told = []
    for share in SHARES:
        was, now = before["scores"].get(share), after["scores"].get(share)
        if was is not None and now is not None:
            told.append(f"{share} {was * 100:.1f} -> {now * 100:.1f} %")
    return [f"held-out set: {', '.join(told)}"] if told else []
