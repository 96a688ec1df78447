"""Descriptions for notes that have none: words of the note itself, nothing else.

A description heads every passage of its note, in both legs and in what is shown. What is
taken is the note's first heading and the first sentence of its most central point.
"""

from __future__ import annotations

import re

from memory_core.routines.optimize.vectors import Vectors
from memory_core.text import clean, fold, one_line
from memory_core.vault import front_matter, points
from memory_core.vault.note import DESCRIPTION, Note, shortened

LEAST = 12  # characters of a sentence that describes something
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|(?<=[。！？])|[\r\n]")
_MARKUP = re.compile(r"[`*_]+|\[\[|\]\]")


def is_missing(text: str) -> bool:
    """Whether the front matter of a note's text gives no description."""
    told = front_matter.read(text).values.get("description")
    return told is None or not str(told).strip()


def proposed(note: Note, text: str, vectors: Vectors) -> str:
    """The note's own words as its description, at most 200 characters; "" where it has none."""
    title = _plain(points.read(text[front_matter.read(text).end :]).title)
    sentence = _central(note, vectors)
    if title and sentence and fold(title) not in fold(sentence):
        return shortened(f"{title}: {sentence}", DESCRIPTION)
    return shortened(sentence or title, DESCRIPTION)


def _central(note: Note, vectors: Vectors) -> str:
    """The first sentence of the point that is nearest to all points; without vectors the first."""
    told = {first(point.plain): one_line(point.plain) for point in note.points}
    told = {sentence: whole for sentence, whole in told.items() if len(sentence) >= LEAST}
    if not told:
        return ""
    rows = vectors.matrix([*told.values()])
    if rows is None:
        return next(iter(told))
    return list(told)[int((rows @ rows.mean(axis=0)).argmax())]


def first(text: str) -> str:
    """The first sentence, without markup."""
    return _plain(_SENTENCE_END.split(text.strip(), maxsplit=1)[0])


def _plain(text: str) -> str:
    return one_line(clean(_MARKUP.sub("", text))).rstrip(".:")
