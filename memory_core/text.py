"""Text at the boundary: what is removed, how lengths are counted; standard library only."""

from __future__ import annotations

import math
import re
import unicodedata

TOKEN_BYTES = 3.8
JOINERS = "\u200c\u200d"
_KEEP_CONTROL = "\n\t"
_VARIATION = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0"  # blank, no space


def utf16_units(text: str) -> int:
    """Length in UTF-16 code units, the unit in which clients cut injected context."""
    return len(text) + sum(ord(character) > 0xFFFF for character in text)


def estimated_tokens(text: str) -> int:
    """About how many tokens a language model counts: one for `TOKEN_BYTES` bytes of UTF-8.

    Needs no tokenizer. OpenAI's cl100k_base counts within 5 % of it on English notes; other
    models and scripts differ by more.
    """
    return math.ceil(len(text.encode("utf-8", "replace")) / TOKEN_BYTES)


def without_surrogates(text: str) -> str:
    """Replace lone surrogates, which no encoder accepts, by U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def clean(text: str) -> str:
    """Remove control, zero-width and bidirectional-override characters.

    Newline and tab stay, and so do joiners between two letters or emoji that need
    them, and one variation selector after a character that can have one. Lone
    surrogates become U+FFFD. Idempotent.
    """
    text = without_surrogates(text).replace("\r\n", "\n").replace("\r", "\n")
    kept = [
        character
        for index, character in enumerate(text)
        if character in _KEEP_CONTROL
        or not (unicodedata.category(character) in ("Cc", "Cf", "Co", "Cn") or _hides(text, index))
        or (character in JOINERS and _joins(text, index))
    ]
    cleaned = "".join(kept)
    return cleaned if cleaned == text else clean(cleaned)


def _hides(text: str, index: int) -> bool:
    """Whether a blank filler or a stray variation selector stands here."""
    character, before = text[index], text[index - 1 : index]
    if not _VARIATION.match(character):
        return character in _FILLERS
    selects = before in "0123456789#*" if before.isascii() else not _VARIATION.match(before)
    return not (before and selects)


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
    if text.isascii():
        return text.casefold()
    text = unicodedata.normalize("NFKD", text.casefold())
    text = "".join(character for character in text if not unicodedata.combining(character))
    return text.translate(_LATIN)


_LATIN = str.maketrans({"æ": "ae", "ø": "o", "å": "a", "œ": "oe", "ð": "d", "þ": "th", "ł": "l",
                        "đ": "d", "ı": "i", "ß": "ss"})  # fmt: skip


_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\U00020000-\U0003134f"  # fmt: skip  # noqa: E501
_CJK_RUN = re.compile(f"[{_CJK}]+")
_CHUNK = re.compile(r"[^\s\"'`“”‘’«»„,;()\[\]{}<>|…。、,!?「」『』()]+")
_WORD = re.compile(r"\w+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_EDGE = ".:!?*=~^#$%&+@\\/"
_SHARP = re.compile(r"^[^\W\d]{1,3}(?:\+\+|#)$")  # C#, F#, C++
_LONGEST = 64


def terms(text: str) -> list[str]:
    """Split text into index terms, folded, in order, with repetitions.

    Identifiers, flags, dotted versions, paths and error codes are one term whole and
    one for each part; scripts written without spaces give overlapping pairs of
    characters. Terms hold no white space and at most 64 characters.
    """
    text = unicodedata.normalize("NFKC", without_surrogates(text))
    found: list[str] = []
    for chunk in _CHUNK.findall(text):
        found += _of_chunk(chunk)
    return found


def _of_chunk(chunk: str) -> list[str]:
    spaced = _CJK_RUN.sub(" ", chunk)
    found = [pair for run in _CJK_RUN.findall(chunk) for pair in _pairs(run)]
    for piece in spaced.split():
        found += _of_piece(piece)
    return found


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def _of_piece(piece: str) -> list[str]:
    if _SHARP.match(bare := piece.rstrip(".:!?")):
        return [fold(bare)]
    whole = fold(piece.rstrip(_EDGE + "-").lstrip(".:!?*=^#%&+@\\"))
    camel = [fold(part) for word in _WORD.findall(piece) for part in _CAMEL.split(word)]
    parts = [part for word in camel for part in word.split("_") if part]
    if len(parts) > 1 or (whole and whole != "".join(parts)):
        joined = [fold(word) for word in _WORD.findall(piece)]
        parts = [*dict.fromkeys([*joined, *parts])]
        whole_term = [whole] if whole and whole not in parts and _WORD.search(whole) else []
        parts = whole_term + parts
    return [part for part in parts if len(part) <= _LONGEST]
