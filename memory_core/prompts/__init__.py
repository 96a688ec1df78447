"""Prompts: one a file, Markdown; the name and a hash are stored with every answer.

Rules come first, then a line `---`, then the request. `{{name}}` in the request is filled
with a text, which stands in a frame as data, or with a whole number, which stands bare.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from memory_core.errors import NotFound

_PLACE = re.compile(r"\{\{([a-z_]+)\}\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt file's name without its ending, and its text."""

    name: str
    text: str

    @property
    def id(self) -> str:
        """Name and the first twelve digits of the text's SHA-256, as stored with every call."""
        return f"{self.name}@{hashlib.sha256(self.text.encode()).hexdigest()[:12]}"

    @property
    def rules(self) -> str:
        """What holds for every request."""
        return self.text.partition("\n---\n")[0].strip()

    @property
    def request(self) -> str:
        """What is asked, with its places still empty."""
        return self.text.partition("\n---\n")[2].strip()

    @property
    def places(self) -> tuple[str, ...]:
        """The names to fill, in order."""
        return tuple(dict.fromkeys(_PLACE.findall(self.request)))

    def filled(self, texts: Mapping[str, str]) -> str:
        """The request; a place within a text stays as it is."""
        return _PLACE.sub(lambda match: texts[match[1]], self.request)


def load(name: str) -> Prompt:
    """The prompt of a name. Raises `NotFound`."""
    file = resources.files(__name__) / f"{name}.md"
    try:
        return Prompt(name, file.read_text("utf-8"))
    except OSError:
        raise NotFound(f"no prompt {name!r}", remedy="install the package again") from None
