"""Proposals as plain lines and as JSON; no control character of the data in either."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from dataclasses import asdict
from datetime import datetime
from typing import Any

from rich.text import Text

from memory_core.cli.review.page import cut, fold, rule, sides
from memory_core.cli.review.reviewer import UNDONE
from memory_core.cli.review.screen import about, item_lines, title
from memory_core.cli.review.told import age, cost, counted, line, subject
from memory_core.proposals import render
from memory_core.proposals.proposal import Numbered, Proposal


def row(proposal: Proposal) -> str:
    """One proposal on a line."""
    held = Counter(item.state for item in proposal.numbered)
    states = ", ".join(f"{count} {state}" for state, count in held.items() if state != "open")
    items = counted(len(proposal.numbered), "item") + (f" ({states})" if states else "")
    return (
        f"{proposal.id:>4}  {proposal.state:<10} {proposal.routine} of {subject(proposal)}: "
        f"{items}, {age(proposal.created_at)}"
    )


def whole(proposal: Proposal, width: int) -> list[Text]:
    """A proposal with every difference and all evidence."""
    lines = sides(title(proposal), Text(proposal.state), width)
    told = f"{subject(proposal)}; {cost(proposal)}; made {age(proposal.created_at)}"
    lines += fold(Text(told, style="dim"), width)
    lines += about(proposal, width)
    if decided := _decided(proposal):
        lines += fold(decided, width)
    lines.append(Text(""))
    for item in proposal.numbered:
        lines.append(cut(Text(line(render.one_line(item))), width))
    for item in proposal.numbered:
        lines += [Text(""), rule(width), *item_lines(item, None, width)]
    return lines


def _decided(proposal: Proposal) -> str:
    decision = proposal.decision
    if not decision or not proposal.decided_at:
        return ""
    numbers = ", ".join(map(str, decision.get("chosen") or ()))
    never = ", ".join(map(str, decision.get("never") or ()))
    told = f"Decided {age(proposal.decided_at)} ({decision.get('surface')}): {decision['choice']}"
    told += f" {numbers}" if numbers else ""
    told += f"; never again {never}" if never else ""
    comment = decision.get("comment")
    told += f"; comment: {line(str(comment))}" if comment else ""
    return told + (f"; commit {proposal.commit[:7]}" if proposal.commit else "")


def brief(proposal: Proposal) -> dict[str, Any]:
    """What `list` says of a proposal."""
    return {
        "id": proposal.id, "routine": proposal.routine, "subject": proposal.subject,
        "scope": proposal.scope, "state": proposal.state, "summary": proposal.summary,
        "created_at": proposal.created_at.isoformat(), "cost": dict(proposal.cost),
        "items": len(proposal.numbered), "open": len(proposal.open),
        "undone": sum(item.state == UNDONE for item in proposal.numbered),
    }  # fmt: skip


def document(proposal: Proposal) -> dict[str, Any]:
    """Everything about a proposal; times in ISO 8601."""
    fields = {
        name: getattr(proposal, name)
        for name in ("run", "user", "decision", "commit")
    }  # fmt: skip
    return {
        **brief(proposal), **fields,
        "notices": list(proposal.notices), "window": dict(proposal.window),
        "decided_at": _iso(proposal.decided_at), "applied_at": _iso(proposal.applied_at),
        "items": [_item(item) for item in proposal.numbered],
        "not_offered": [_item(item) for item in proposal.items if not item.number],
    }  # fmt: skip


def _item(item: Numbered) -> dict[str, Any]:
    names = (
        "number", "state", "reason", "action", "kind", "target", "title", "before", "after",
        "value", "provenance", "carried", "ledger",
    )  # fmt: skip
    return {
        **{name: getattr(item, name) for name in names},
        "detail": dict(item.detail), "growth": item.growth, "diff": render.diff(item),
        "evidence": [asdict(piece) for piece in item.evidence],
    }  # fmt: skip


def as_json(value: Any) -> str:
    """JSON in which every control and every invisible character is an escape."""
    text = json.dumps(value, ensure_ascii=False, indent=2, default=str)
    return "".join(
        character if character == "\n" or not _hidden(character) else json.dumps(character)[1:-1]
        for character in text
    )


def _hidden(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
