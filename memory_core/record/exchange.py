"""What is recorded: an exchange is a request with everything that answered it.

An exchange is an ordered list of spans, each with its provenance. Texts are redacted and
free of our own injections before they become part of one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Provenance = Literal["user", "agent", "tool", "web"]
State = Literal["answered", "unanswered", "interrupted", "failed"]


@dataclass(slots=True)
class Span:
    """A piece of an exchange.

    Speech (`user`, `agent`) has a `text`. A tool call (`tool`, `web`) has `name`, `input`
    and `output`; `size` counts the characters of the output before it was cut, `failed`
    is None where the client does not say. `ref` is the transcript's own name of the row:
    a turn number or a uuid.
    """

    source: Provenance
    text: str = ""
    ref: str = ""
    name: str = ""
    input: str = ""
    output: str = ""
    size: int = 0
    failed: bool | None = None

    def as_json(self) -> dict[str, Any]:
        """Only the fields that say something."""
        names = ("source", "text", "ref", "name", "input", "output", "size", "failed")
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value not in ("", 0, None)} | (
            {"failed": False} if self.failed is False else {}
        )


@dataclass(slots=True)
class Exchange:
    """One request and what followed until the next.

    `uuid` is unique over all sessions and forks of them; `turn` counts from 1 within the
    session, in the order of recording; `position` and `end` are byte positions in the
    transcript, 0 when there is none; `rows` counts what the transcript said in it, so that
    the fuller of two readings is known. `redactions` counts what was removed, by kind.
    `left_out` counts spans beyond what one exchange may hold.
    """

    uuid: str
    session: str
    client: str
    at: datetime
    until: datetime
    spans: list[Span] = field(default_factory=list)
    state: State = "unanswered"
    prompt: str = ""
    position: int = 0
    end: int = 0
    rows: int = 0
    left_out: int = 0
    redactions: dict[str, int] = field(default_factory=dict)
    turn: int = 0
    sequence: int = 0

    @property
    def request(self) -> str:
        """What the user said."""
        return "\n\n".join(span.text for span in self.spans if span.source == "user")

    @property
    def reply(self) -> str:
        """What the agent said."""
        said = (span.text for span in self.spans if span.source == "agent")
        return "\n\n".join(text for text in said if text)

    @property
    def calls(self) -> list[Span]:
        """The tool calls, in order."""
        return [span for span in self.spans if span.name]
