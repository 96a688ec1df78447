"""A memory's key as a slug: the same fact spelled three ways is one key."""

from __future__ import annotations

import unicodedata

from memory_core.errors import BadInput
from memory_core.text import clean, fold, one_line


def slug(text: str) -> str:
    """Lower-case words joined by single hyphens.

    Letters fold to ASCII where they can (`Café` -> `cafe`) and stay where they cannot
    (`東京`). Idempotent. Raises `BadInput` when nothing is left.
    """
    folded, text = text, ""
    while folded != text:
        text, folded = folded, _fold_once(folded)
    if not text:
        raise BadInput(
            "the key holds no letter and no digit",
            remedy="use a few words that name the fact, such as prefers-norwegian",
        )
    return text


def _fold_once(text: str) -> str:
    text = unicodedata.normalize("NFKC", one_line(clean(text)))
    text = unicodedata.normalize("NFKC", text.casefold())
    kept = ""
    for character in text:
        kept += _letter(character, kept[-1:])
    return "-".join(part for part in kept.split("-") if part)


def _letter(character: str, previous: str) -> str:
    if unicodedata.category(character).startswith("M"):
        return "" if previous.isascii() else character
    if not character.isalnum():
        return "-"
    plain = fold(character)
    return plain if plain.isascii() and plain.isalnum() else character
