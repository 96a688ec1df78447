"""Whether a text says what a statement says, judged by what it holds of it.

A statement's pieces are its numbers, its paths and code words, and its content words.
A text holds the statement when it has at least half of them all together. A text in
another language has no words in common, so there numbers, paths and code count alone.
"""

from __future__ import annotations

import re

from memory_core.text import fold, terms

HALF = 0.5
UNKNOWN = "unknown"
_FEWEST = 2  # function words that tell a language
_CODE = re.compile(r"(`+)(.+?)\1")
_SYMBOL = re.compile(r"[\w.~/@$*-]*(?:[/_=]|--|\w\.\w)[\w.~/@$*=-]+")
_NUMBER = re.compile(r"\d+(?:[.,:'’]\d+)*")
_SEPARATES = re.compile(r"[`/_.=-]")  # a word counts wherever it stands, in a path, too
_WORD = re.compile(r"[^\W\d_]{2,}")
_PLACEHOLDER = re.compile(r"^(?:<\w+>|[A-Z][A-Z_]+)$")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_FUNCTION = {
    "en": """
    a an the of to in on for and or but is are was were be been being do does did i me my we us
    our you your it its this that these those they them their he his she her what which who
    whose when where why how if then than so as at by from with without into out up down over
    under not no nor can could may might must shall should will would have has had get gets got
    just also too very any some all each every one there here about after before while still
    only own same other such more most off again because since until between both few s t
    """,
    "no": """
    en et ei de det den dette disse som er var blir ble og eller men av på i til fra for med
    uten om at å ikke jeg du vi han hun seg sin sitt min mitt har hadde kan skal vil må når hvis
    da der her også bare så enn etter før over under ved opp ut alle hver noe noen
    """,
    "de": """
    ein eine einen einem einer der die das den dem des und oder aber ist sind war wird werden
    von zu im in am an auf für mit ohne aus bei nach vor über unter nicht kein keine ich du wir
    ihr sie er es sich mein dein hat haben kann soll muss darf wenn dann da so auch nur als wie
    noch mehr sonst jeder jede jedes
    """,
}
_STOP = {name: {fold(word) for word in words.split()} for name, words in _FUNCTION.items()}
_EVERY_STOP = frozenset().union(*_STOP.values())
_ENDINGS = (
    "ations", "ation", "ings", "ing", "edly", "ies", "ied", "ers", "er", "ed", "es", "en", "ly",
    "s", "e",
)  # fmt: skip


def holds(text: str, statement: str) -> float:
    """The share of the statement's pieces that the text has, 0..1."""
    wanted, held = code(statement) | numbers(statement), code(text) | numbers(text)
    if language(text) in (UNKNOWN, spoken := language(statement)) or spoken == UNKNOWN:
        wanted, held = wanted | words(statement), held | words(_SEPARATES.sub(" ", text))
    return len(wanted & held) / len(wanted) if wanted else 0.0


def numbers(text: str) -> set[str]:
    """Numbers with a decimal point, without thousands signs; 05:00 is 5, on the hour."""
    found = set()
    for match in _NUMBER.finditer(text):
        number = re.sub(r"[,'’](?=\d{3}(?!\d))", "", match.group())
        number = re.sub(r"(?<=\d),(?=\d{1,2}(?!\d))", ".", number)
        found.add(re.sub(r"^0(?=\d)|:00$", "", number))
    return found


def code(text: str) -> set[str]:
    """The words of code spans, and paths, flags and identifiers outside of them."""
    spans = [word for match in _CODE.finditer(text) for word in match[2].split()]
    symbols = [*spans, *_SYMBOL.findall(_CODE.sub(" ", text))]
    bare = {symbol.strip(".,;:()[]{}\"'") for symbol in symbols if not _PLACEHOLDER.match(symbol)}
    return {fold(symbol) for symbol in bare if symbol and not _NUMBER.fullmatch(symbol)}


def words(text: str) -> set[str]:
    """The content words outside of code, by their stems; pairs of characters in CJK text."""
    plain = _SYMBOL.sub(" ", _CODE.sub(" ", text))
    pairs = {term for term in terms(plain) if _CJK.search(term)}
    found = {fold(word) for word in _WORD.findall(plain) if not _CJK.search(word)}
    return pairs | {stem(word) for word in found - _EVERY_STOP}


def stem(word: str) -> str:
    """The word without its ending."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def language(text: str) -> str:
    """The language a text is written in, by its function words: en, no, de, cjk or unknown."""
    if len(_CJK.findall(text)) * 3 > len(re.findall(r"\w", text)):
        return "cjk"
    found = [fold(word) for word in _WORD.findall(text)]
    counts = {name: sum(word in stop for word in found) for name, stop in _STOP.items()}
    if max(counts.values()) < _FEWEST:
        return UNKNOWN
    return max(counts, key=lambda name: (counts[name], name == "en"))
