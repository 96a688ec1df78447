"""What recall answers: notes, nothing, or unavailable with the reason; and how it came to it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Status = Literal["notes", "nothing", "unavailable"]


@dataclass(frozen=True, slots=True)
class Found:
    """One note of an answer: a pointer with the part that answers.

    `source` is the note's file relative to the vault, or `memory:<key>`. `score` is
    the judge's raw value. `repeated` means the session was shown it before, so `text`
    is empty.
    """

    source: str
    description: str
    text: str
    score: float
    updated: str = ""
    scope: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """One passage of the pool, with what each stage thought of it.

    Ranks count from 1; None = not found by that leg.
    """

    source: str
    passage: str
    words_rank: int | None
    words: float
    meaning_rank: int | None
    cosine: float
    logit: float
    score: float


@dataclass(frozen=True, slots=True)
class Legs:
    """The names of the sources that each leg finds within its reach, best first."""

    words: tuple[str, ...] = ()
    meaning: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """`reason` says in a few words why recall was unavailable; `stages` holds milliseconds."""

    status: Status
    notes: tuple[Found, ...] = ()
    reason: str = ""
    floor: float | None = None
    condensed: str = ""
    pool: tuple[Candidate, ...] = ()
    stages: dict[str, float] = field(default_factory=dict)

    def as_json(self, *, explain: bool = False) -> dict[str, Any]:
        """A plain document; `explain` adds the pool, the floor and the condensed request."""
        document = asdict(self)
        if not explain:
            for key in ("pool", "condensed"):
                del document[key]
        return document
