"""Sessions and notes for the tests of dream, written in a line or two."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from memory_core.record.exchange import Exchange, Span
from memory_core.routines.dream import dream
from memory_core.routines.dream.findings import Findings
from memory_core.routines.place import Place
from memory_core.vault.note import Note, parse

START = datetime(2026, 10, 1, 9, tzinfo=UTC)


def user(text: str) -> Span:
    return Span("user", text)


def agent(text: str) -> Span:
    return Span("agent", text)


def shell(command: str, output: str = "", failed: bool | None = None) -> Span:
    return Span("tool", name="bash", input=command, output=output, failed=failed)


def tool(name: str, text: str, output: str = "ok") -> Span:
    return Span("tool", name=name, input=text, output=output)


def page(output: str) -> Span:
    return Span("web", name="web_fetch", input="https://a.example/page", output=output)


def session(
    name: str, *turns: Sequence[Span], day: float = 0, hours: float = 0.1
) -> list[Exchange]:
    """One exchange a turn, `hours` apart."""
    at = START + timedelta(days=day)
    found = []
    for number, spans in enumerate(turns, 1):
        for place, span in enumerate(spans):
            span.ref = f"{number}.{place}"
        moment = at + timedelta(hours=hours * number)
        found.append(
            Exchange(
                f"{name}/{number}",
                name,
                "neutral",
                moment,
                moment,
                list(spans),
                "answered",
                turn=number,
            )
        )
    return found


def note(key: str, *points: str, updated: date | None = date(2026, 6, 1), about: str = "") -> Note:
    matter = f"---\nkey: {key}\ndescription: {about or key}\n"
    matter += f"updated: {updated}\n" if updated else ""
    return parse(
        matter + "---\n\n" + "\n".join(f"- {point}" for point in points) + "\n", f"{key}.md"
    )


def place(*notes: Note, always_loaded: str = "", cap: int = 3000) -> Place:
    return Place("ada", "shop", "", notes, "MEMORY.md", always_loaded, cap)


def quiet(operation: str, payload: dict[str, Any]) -> dict[str, Any]:
    """A recall that finds nothing, so that words alone must tell."""
    assert operation == "recall", operation
    return {"status": "nothing", "notes": []}


def dreamed(exchanges: Iterable[Exchange], *notes: Note) -> Findings:
    """What the exchanges show, where words alone must tell."""
    return dream.evidence(exchanges, place(*notes), quiet)
