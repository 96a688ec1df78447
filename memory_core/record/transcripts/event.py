"""What a row of a transcript says, in terms all formats share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from memory_core.text import without_surrogates

Kind = Literal[
    "request",  # the user asks: an exchange begins
    "command",  # the user gives a command: an exchange begins if anything answers
    "local",  # the client itself answered the command
    "added",  # the user adds something while the agent works
    "reply",  # the agent says something
    "call",  # the agent uses a tool
    "output",  # what the tool gave back
    "interrupted",  # the user stopped the agent
    "failed",  # the client could not get an answer
    "skipped",  # no speech; `text` names the reason
]


@dataclass(slots=True)
class Event:
    """One thing that a row says.

    `uuid` is the row's unique name or "", `ref` what a person finds it by, `prompt` the
    client's id of the turn. `call` pairs a tool's call and output; `failed` says how the
    tool ended, where known. `session` and `cwd` are the row's own, where it has them.
    """

    kind: Kind
    text: str = ""
    uuid: str = ""
    ref: str = ""
    prompt: str = ""
    at: datetime | None = None
    name: str = ""
    call: str = ""
    failed: bool | None = None
    session: str = ""
    cwd: str = ""


Reader = Callable[[dict[str, Any]], Iterator[Event]]


def moment(value: Any) -> datetime | None:
    """A moment written in ISO 8601; None for anything else."""
    if not isinstance(value, str):
        return None
    try:
        read = datetime.fromisoformat(value)
    except ValueError:
        return None
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def text_of(value: Any) -> str:
    """A string, or nothing."""
    return value if isinstance(value, str) else ""


def name_of(value: Any) -> str:
    """A string that names something, as a database takes it; at most 1,000 characters."""
    return without_surrogates(text_of(value)[:1000]).replace("\0", "\ufffd")
