"""Sessions written in a few lines: `user: ...`, `agent: ...`, `tool NAME: input => output`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from memory_core.record.exchange import Exchange, Provenance, Span
from memory_core.routines.draft import Draft
from memory_core.routines.place import Ask, Place
from memory_core.routines.wrap import draft

AT = datetime(2026, 11, 30, 9, tzinfo=UTC)


@dataclass(frozen=True)
class Setting:
    """A place and the recall beside it."""

    place: Place
    ask: Ask

    def wrap(self, *lines: str) -> Draft:
        """What a session of these lines leaves."""
        return draft(talk(*lines), self.place, self.ask)

    def texts(self, *lines: str) -> list[str]:
        """The texts of the items alone."""
        return [item.after for item in self.wrap(*lines).items]


def talk(*lines: str) -> list[Exchange]:
    """The exchanges of a session; a line's number is its `ref`."""
    found: list[Exchange] = []
    for number, line in enumerate(lines, 1):
        head, _, rest = line.partition(": ")
        if head == "user" or not found:
            turn = len(found) + 1
            found.append(Exchange(f"s/{number}", "s", "neutral", AT, AT, turn=turn))
        found[-1].spans.append(_span(head, rest, str(number)))
    return found


def _span(head: str, rest: str, ref: str) -> Span:
    if head in ("user", "agent"):
        return Span("user" if head == "user" else "agent", rest, ref=ref)
    source, _, name = head.partition(" ")
    asked, _, output = rest.partition(" => ")
    kind: Provenance = "web" if source == "web" else "tool"
    return Span(kind, ref=ref, name=name, input=asked, output=output, size=len(output))
