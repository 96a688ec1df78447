"""Facts about a proposal in a few words: subject, age, cost, size."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from memory_core.proposals import render
from memory_core.proposals.proposal import Numbered, Proposal
from memory_core.text import clean

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_BREAKS = re.compile("[\u2028\u2029]")
_QUESTIONS = {
    "add": "one question more",
    "drop": "one question less",
    "revise": "as many questions",
}
_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60))


def shown(text: str) -> str:
    """A text of the data; what does not show, or breaks a line unseen, written as an escape."""
    text = render.visible(text)
    if text.isascii() or (clean(text) == text and not _BREAKS.search(text)):
        return text
    return "".join(map(_shown, text))


def _shown(character: str) -> str:
    hidden = _BREAKS.match(character) or clean(character) != character
    return json.dumps(character)[1:-1] if hidden and character not in "\n\t" else character


def line(text: str) -> str:
    """The same on one line."""
    return " ".join(shown(text).split())


def plain(value: Any, between: str = ", ") -> str:
    """A value of an item's detail as a person writes it: `project:shop, item:42`."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return between.join(plain(part, ":") for part in value)
    return str(value)


def moment(text: str) -> str:
    """A time in ISO 8601 as this machine's clock shows it."""
    try:
        return f"{datetime.fromisoformat(text).astimezone():%Y-%m-%d %H:%M}"
    except ValueError:
        return line(text)


def subject(proposal: Proposal) -> str:
    """What the routine looked at, and of which project."""
    told = line(proposal.subject)
    if _UUID.fullmatch(told):
        told = f"session {told[:8]}"
    return f"{told} in {line(proposal.scope)}" if proposal.scope else told


def age(moment: datetime, now: datetime | None = None) -> str:
    """How long ago that was: "3 days ago"."""
    passed = (now or datetime.now(UTC)) - moment
    return "just now" if passed < timedelta(minutes=1) else f"{lasting(passed)} ago"


def lasting(passed: timedelta) -> str:
    """A span of time in its largest unit: "3 days"."""
    seconds = max(0, int(passed.total_seconds()))
    for unit, size in _UNITS:
        if seconds >= size:
            return counted(seconds // size, unit)
    return "a moment"


def counted(count: int, noun: str) -> str:
    """A number with its noun: "1 item", "2 items"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def cost(proposal: Proposal) -> str:
    """Which model wrote it and at what cost; or that none did."""
    spent: Mapping[str, Any] = proposal.cost
    if not spent.get("calls"):
        return "no model used"
    names = ", ".join(line(str(name)) for name in spent.get("models") or ("a model",))
    tokens = int(spent.get("tokens_in") or 0) + int(spent.get("tokens_out") or 0)
    return f"{names}, {tokens:,} tokens, {_price(spent.get('usd'))}"


def _price(usd: float | None) -> str:
    if usd is None:
        return "price not known"
    return f"${usd:.2f}" if usd >= 0.01 or not usd else f"${usd:.4f}"


def effect(item: Numbered) -> str:
    """How many characters longer or shorter the target gets, and whether it was offered before."""
    told = f"{item.growth:+,} characters" if item.growth else "no change in size"
    if item.kind == "question":
        told = _QUESTIONS.get(item.action, "")
    return f"{told}; left from an earlier run" if item.carried else told
