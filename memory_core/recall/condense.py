"""A long request in few words: its asking sentences and its rare terms.

The models read a request of at most some 60 tokens well; a pasted log or mail loses
its point when it is cut blindly. A short request passes unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from memory_core.text import one_line, terms

MOST_CHARACTERS = 280
_SENTENCES = re.compile(r"(?<=[.!?。!?])\s+|\n+")
_ASKS = re.compile(r"[??]\s*$")
_TIME = re.compile(r"^\W*\d{2,4}[-:/.T]\d")
_READ_CHARACTERS = 20_000
_SENTENCE_CHARACTERS = 180
_MOST_RARE = 14


def condense(query: str, rarity: Callable[[str], float]) -> str:
    """At most about `MOST_CHARACTERS`; `rarity` is a term's IDF, 0 for an unknown term."""
    if len(query) <= MOST_CHARACTERS:
        return one_line(query)
    ends = query[:_READ_CHARACTERS] + "\n" + query[_READ_CHARACTERS:][-_READ_CHARACTERS:]
    asking = _asking(ends)
    room = MOST_CHARACTERS - len(asking)
    rare = [term for term in _rare(ends, rarity) if term not in asking.casefold()]
    return one_line(f"{asking} {_fit(rare, room)}")


def _asking(text: str) -> str:
    """Questions first, then the first and last sentence of prose, within two thirds of the room."""
    sentences = [one_line(part) for part in _SENTENCES.split(text) if part.strip()]
    prose = [part for part in sentences if _is_prose(part)] or sentences
    questions = [part for part in prose if _ASKS.search(part)]
    wanted = dict.fromkeys([*questions[:2], *prose[:1], *questions[-1:], *prose[-1:]])
    kept, room = [], MOST_CHARACTERS * 2 // 3
    for sentence in wanted:
        sentence = sentence[:_SENTENCE_CHARACTERS]
        if len(sentence) <= room:
            kept.append(sentence)
            room -= len(sentence)
    return " ".join(kept)


def _is_prose(sentence: str) -> bool:
    letters = sum(character.isalpha() or character.isspace() for character in sentence)
    return letters >= 0.8 * len(sentence) and not _TIME.match(sentence)


def _rare(text: str, rarity: Callable[[str], float]) -> list[str]:
    ranked = sorted(
        ((rarity(term), term) for term in dict.fromkeys(terms(text)) if len(term) > 2),
        key=lambda pair: (-pair[0], pair[1]),
    )
    return [term for weight, term in ranked[:_MOST_RARE] if weight > 0]


def _fit(words: list[str], room: int) -> str:
    kept: list[str] = []
    for word in words:
        if len(word) + 1 > room:
            break
        kept.append(word)
        room -= len(word) + 1
    return " ".join(kept)
