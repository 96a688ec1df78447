"""The always-loaded file: the one file an agent reads in full at every start, with a cap."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class AlwaysLoaded:
    """Its state; `characters` and `cap` count characters, `file` is relative to the vault."""

    file: str
    exists: bool
    characters: int
    cap: int
    problem: str = ""

    @property
    def over_cap(self) -> bool:
        """Whether it is longer than allowed."""
        return self.characters > self.cap

    @property
    def line(self) -> str:
        """The state in one line."""
        if self.problem:
            return f"{self.file}: {self.problem}"
        if not self.exists:
            return f"{self.file}: not there"
        over = f", {self.characters - self.cap:,} over" if self.over_cap else ""
        return f"{self.file}: {self.characters:,} of {self.cap:,} characters{over}"


def state(root: Path, file: str, cap: int) -> AlwaysLoaded:
    """Look at the file now; never raises."""
    try:
        path = root / file
        if not path.is_file():
            return AlwaysLoaded(file, path.exists(), 0, cap, "not a file" if path.exists() else "")
        return AlwaysLoaded(file, True, len(path.read_text("utf-8", "replace")), cap)
    except (OSError, ValueError) as error:
        return AlwaysLoaded(file, True, 0, cap, f"cannot be read: {error}")
