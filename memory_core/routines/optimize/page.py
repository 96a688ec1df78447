"""The report of an optimize run as Markdown: scores, changes with their effects, findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memory_core.benchmark.questions import HELDOUT, WORKING
from memory_core.proposals.proposal import Proposal
from memory_core.proposals.render import inline
from memory_core.routines.optimize.effects import SHARES
from memory_core.routines.optimize.finding import AUDITS

_TITLES = {
    "always-loaded": "The always-loaded file",
    "notes": "The note layer",
    "test": "The test",
}


def markdown(proposal: Proposal) -> str:
    """The whole report; every change has a number and an effect, every finding is listed."""
    window = proposal.window
    findings: Sequence[Mapping[str, Any]] = window.get("findings", ())
    parts = [f"# Optimize, proposal {proposal.id}", ""]
    parts += [inline(proposal.summary), ""] if proposal.summary else []
    for notice in proposal.notices:
        parts += [f"> {inline(notice)}", ""]
    parts += _scores(window.get("scores", {}))
    parts += _offered(proposal)
    for audit in AUDITS:
        rest = [one for one in findings if one["audit"] == audit]
        parts += _findings(_TITLES[audit], rest)
    parts += _after(window.get("after"))
    return "\n".join(parts).rstrip() + "\n"


def _scores(scores: Mapping[str, Any]) -> list[str]:
    """Both sets before anything was changed."""
    rows = []
    for name, shown in ((WORKING, "working"), (HELDOUT, "held-out")):
        if told := scores.get(name):
            cells = [percent(told["scores"].get(share)) for share in SHARES]
            cells += [str(told["scores"].get("characters"))]
            rows.append(f"| {shown} | {told['scores']['questions']} | {' | '.join(cells)} |")
    if not rows:
        return ["No set of questions was scored.", ""]
    tail = [inline(scores["trend"]), ""] if scores.get("trend") else []
    head = "| set | questions | hit@3 | answered | quiet | characters above a request |"
    return ["## Scores before", "", head, "| --- | --- | --- | --- | --- | --- |", *rows, "", *tail]


def _offered(proposal: Proposal) -> list[str]:
    if not proposal.numbered:
        return ["## Offered", "", "Nothing.", ""]
    rows = [
        f"| {item.number} | {inline(item.target)}: {inline(item.title)}"
        f" | {inline(str(item.detail.get('effect', '')))} | {item.state} |"
        for item in proposal.numbered
    ]
    head = ["| | change | expected effect, applied alone | state |", "| --- | --- | --- | --- |"]
    return ["## Offered", "", *head, *rows, ""]


def _findings(title: str, findings: Sequence[Mapping[str, Any]]) -> list[str]:
    if not findings:
        return [f"## {title}", "", "Nothing found.", ""]
    return [f"## {title}: {len(findings)} found", "", *map(_line, findings), ""]


def _line(finding: Mapping[str, Any]) -> str:
    number = f"**{finding['number']}.** " if finding["number"] else ""
    effect = finding["effect"]["said"] if finding["effect"] else ""
    tails = [
        f"change: {finding['change']}" if finding.get("change") and not number else "",
        f"effect: {effect}" if effect and not number else "",
        finding.get("why", ""),
    ]
    tail = "; ".join(filter(None, tails))
    return f"- {number}{inline(finding['said'])}" + (f" ({inline(tail)})" if tail else "")


def _after(after: Mapping[str, Any] | None) -> list[str]:
    if not after:
        return []
    return ["## After applying", "", *(f"- {inline(line)}" for line in after["said"]), ""]


def percent(share: float | None) -> str:
    """A share as people read it."""
    return "none" if share is None else f"{share * 100:.1f} %"
