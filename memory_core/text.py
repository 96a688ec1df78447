"""Text at the boundary: what is removed, how lengths are counted; standard library only."""

from __future__ import annotations

import re
import unicodedata

JOINERS = "\u200c\u200d"
_KEEP_CONTROL = "\n\t"
_VARIATION = re.compile("[\ufe00-\ufe0f]")


def utf16_units(text: str) -> int:
    """Length in UTF-16 code units, the unit in which clients cut injected context."""
    return len(text) + sum(ord(character) > 0xFFFF for character in text)


def without_surrogates(text: str) -> str:
    """Replace lone surrogates, which no encoder accepts, by U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def clean(text: str) -> str:
    """Remove control, zero-width and bidirectional-override characters.

    Newline and tab stay, and so do joiners between two letters or emoji that need
    them. Lone surrogates become U+FFFD. Idempotent.
    """
    text = without_surrogates(text).replace("\r\n", "\n").replace("\r", "\n")
    kept = [
        character
        for index, character in enumerate(text)
        if character in _KEEP_CONTROL
        or unicodedata.category(character) not in ("Cc", "Cf", "Co", "Cn")
        or (character in JOINERS and _joins(text, index))
    ]
    cleaned = "".join(kept)
    return cleaned if cleaned == text else clean(cleaned)


def _joins(text: str, index: int) -> bool:
    before, after = text[index - 1 : index], text[index + 1 : index + 2]
    return bool(before and after) and all(map(_joinable, (before, after)))


def _joinable(character: str) -> bool:
    if _VARIATION.match(character):
        return True
    category = unicodedata.category(character)
    return (category[0] in "LM" and not character.isascii()) or category in ("So", "Sk")


def one_line(text: str) -> str:
    """Collapse every run of white space into one space and strip the ends."""
    return " ".join(text.split())


def fold(text: str) -> str:
    """Case-fold and strip accents: `Ærlig Café` and `aerlig cafe` compare equal."""
    text = unicodedata.normalize("NFKD", text.casefold())
    text = "".join(character for character in text if not unicodedata.combining(character))
    return text.translate(_LATIN)


_LATIN = str.maketrans({"æ": "ae", "ø": "o", "å": "a", "œ": "oe", "ð": "d", "þ": "th", "ł": "l",
                        "đ": "d", "ı": "i", "ß": "ss"})  # fmt: skip
