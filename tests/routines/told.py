"""Sessions and vaults in a few lines, and a model that answers with facts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memory_core.errors import RecallUnavailable
from memory_core.record.exchange import Exchange, Span
from memory_core.routines.place import Place
from memory_core.vault.vault import Vault

AT = datetime(2026, 11, 11, 9, 30, tzinfo=UTC)
Said = tuple[str, str]  # source and text; of a call `name: input -> output`


def session(*said: Said) -> list[Exchange]:
    """Exchanges, each begun by the user; a tool's text is `name: input -> output`."""
    found: list[Exchange] = []
    for number, (source, text) in enumerate(said, 1):
        if source == "user" or not found:
            found.append(Exchange(f"u{number}", "s1", "neutral", AT, AT, turn=len(found) + 1))
        found[-1].spans.append(_span(source, text, str(number)))
    return found


def _span(source: Any, text: str, ref: str) -> Span:
    if source in ("user", "agent"):
        return Span(source, text, ref)
    name, _, rest = text.partition(": ")
    given, _, output = rest.partition(" -> ")
    return Span(source, "", ref, name, given, output, len(output))


def place(folder: Path, notes: dict[str, str], always: str = "# Rules\n", cap: int = 3000) -> Place:
    """A place beside a vault with these notes."""
    for file, text in notes.items():
        (folder / file).write_text(text, "utf-8")
    (folder / "MEMORY.md").write_text(always, "utf-8")
    return Place.of(Vault(folder), user="kari", scope="shop", session="s1", cap=cap)


def no_recall(operation: str, payload: dict[str, Any]) -> dict[str, Any]:
    """A warm server that is not there yet."""
    raise RecallUnavailable("no floor yet")


def fact(statement: str, *cites: int, goes_to: str = "new", **more: Any) -> dict[str, Any]:
    """A fact as the model writes it."""
    return {"statement": statement, "cites": list(cites), "goes_to": goes_to, "worth": 4} | more


def reply(*facts: dict[str, Any], withdrawn: Sequence[int] = ()) -> dict[str, Any]:
    """A reply to the wrap prompt."""
    return {"facts": list(facts), "withdrawn": list(withdrawn)}


def block(request: dict[str, Any], name: str) -> str:
    """The text of a data block that the model was sent."""
    content = request["messages"][1]["content"]
    found = re.search(rf'<data-(\w+) name="{name}">\n(.*?)\n</data-\1>', content, re.DOTALL)
    assert found, content
    return found[2]


Reader = Callable[[dict[str, Any]], dict[str, Any]]
