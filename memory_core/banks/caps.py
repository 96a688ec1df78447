"""How much a memory and a bank may hold; the ceilings, which settings may only lower.

Count times capped field size bounds what any model can write: 3 banks of 50 memories
of 2,264 characters stay under 340,000.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from memory_core.errors import FieldTooLong

KEY, DESCRIPTION, CONTENT = 64, 200, 2000
HARD, SOFT, TARGET = 50, 40, 24
_JSON = json.JSONEncoder(ensure_ascii=False)
LOCATORS = 16  # references, and tags, of one memory
LOCATOR = 200  # characters of a reference's or a tag's id
NAME = 512  # characters of a user or a scope


@dataclass(frozen=True, slots=True)
class Caps:
    """Characters of the three fields, memories of a bank."""

    key: int = KEY
    description: int = DESCRIPTION
    content: int = CONTENT
    hard: int = HARD
    soft: int = SOFT
    target: int = TARGET

    def __post_init__(self) -> None:
        ceilings = (KEY, DESCRIPTION, CONTENT, HARD, SOFT, TARGET)
        chosen = (self.key, self.description, self.content, self.hard, self.soft, self.target)
        if any(not 0 < value <= ceiling for value, ceiling in zip(chosen, ceilings, strict=True)):
            raise ValueError(f"caps {chosen} must be positive and at most {ceilings}")
        if not self.target <= self.soft <= self.hard:
            raise ValueError("caps need target <= soft <= hard")


def as_json(text: str) -> str:
    """Text as the digest prints it: a JSON string on one line, without backtick or end tag."""
    quoted = _JSON.encode(text).replace("</", "<\\/")
    for character in "`\u0085\u2028\u2029":
        quoted = quoted.replace(character, f"\\u{ord(character):04x}")
    return quoted


def check_length(field: str, text: str, cap: int, *, escaped: bool = False) -> None:
    """Raise `FieldTooLong` for a text over its cap, counted in characters.

    `escaped` counts the text as JSON, so that a quote or a backslash counts two.
    """
    length = len(as_json(text)) - 2 if escaped else len(text)
    if length > cap:
        unit = "characters as JSON" if length != len(text) else "characters"
        raise FieldTooLong(field, length, cap, unit=unit)
