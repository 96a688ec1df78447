"""A link of the chain: what it is called, how it is, and what to do about it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

State = Literal["ok", "broken", "notice", "absent"]


@dataclass(frozen=True, slots=True)
class Link:
    """`part` is a client's name or `wellkept`; a broken link has a `remedy`.

    `passes` = a notice of something that is slow or starting: waiting helps, and nothing is
    broken.
    """

    part: str
    name: str
    state: State
    said: str
    remedy: str = ""
    passes: bool = False

    def as_json(self) -> dict[str, Any]:
        """All fields."""
        return asdict(self)
