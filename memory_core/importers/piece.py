"""What an importer reads: pieces of text with the place each came from."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Piece:
    """One statement, or with `whole` a note with its front matter.

    `file` is the source as a person knows it, `line` counts from 1 and is 0 where there is
    none. `personal` pieces are about the user wherever they work and go to the global bank,
    the others to the note of that file name; an empty `note` means the always-loaded file.
    """

    text: str
    file: str
    line: int = 0
    heading: str = ""
    personal: bool = False
    note: str = ""
    key: str = ""
    description: str = ""
    whole: bool = False


@dataclass(slots=True)
class Reading:
    """Everything read from one source; `notices` are lines that a person sees above the items."""

    kind: str
    pieces: list[Piece] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
