"""A difference on a screen: `-` red, `+` green, and the words that changed underlined."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import groupby

from rich.text import Text

from memory_core.cli.review.page import fold

_STYLES = {"-": "red", "+": "green"}
_TOKEN = re.compile(r"\w+\s*|[^\w\s]+\s*|\s+")  # a word keeps its space: fewer, and rarer
_ALIKE = 0.5  # less of two lines in common, and underlining helps nobody
_LONGEST = 600  # tokens of a line that is compared word by word


def folded(lines: Sequence[str], width: int) -> Iterator[Text]:
    """The lines of `render.diff`, folded."""
    for line in _marked(lines):
        sign = line.plain[:1] or " "
        text = line[2:] if len(line.plain) > 2 else Text("")
        text.style = _STYLES.get(sign, "")
        yield from fold(text, width, first=f"{sign} ", rest="  ")


def _marked(lines: Sequence[str]) -> Iterator[Text]:
    """Each line; where as many came as went, pairs are compared word by word."""
    runs = [(sign, list(run)) for sign, run in groupby(lines, key=lambda line: line[:1])]
    at = 0
    while at < len(runs):
        sign, run = runs[at]
        after = runs[at + 1][1] if at + 1 < len(runs) and runs[at + 1][0] == "+" else []
        if sign == "-" and len(run) == len(after):
            pairs = [_compared(*pair) for pair in zip(run, after, strict=True)]
            yield from (old for old, _ in pairs)
            yield from (new for _, new in pairs)
            at += 2
        else:
            yield from map(Text, run)
            at += 1


def _compared(old: str, new: str) -> tuple[Text, Text]:
    texts = Text(old), Text(new)
    for text, spans in zip(texts, _changed(old, new), strict=True):
        for start, end in spans:
            text.stylize("bold underline", start, end)
    return texts


@lru_cache(maxsize=256)
def _changed(old: str, new: str) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Where the words that differ stand, in each of the two lines."""
    words = _TOKEN.findall(old[2:]), _TOKEN.findall(new[2:])
    if max(map(len, words)) > _LONGEST:
        return (), ()
    matcher = SequenceMatcher(None, *words, autojunk=False)
    if matcher.quick_ratio() < _ALIKE or matcher.ratio() < _ALIKE:
        return (), ()
    codes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return (
        tuple(_span(words[0], first, last) for _, first, last, _, _ in codes if first < last),
        tuple(_span(words[1], first, last) for _, _, _, first, last in codes if first < last),
    )


def _span(tokens: list[str], first: int, last: int) -> tuple[int, int]:
    start = 2 + len("".join(tokens[:first]))
    return start, start + len("".join(tokens[first:last]))
