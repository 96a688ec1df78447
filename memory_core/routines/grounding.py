"""Grounding: every path, number and name in a text must stand in its evidence.

What is checked is what a reader would act on: code spans, paths, flags, identifiers,
abbreviations, numbers and names. Plain words may be reworded.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

_SPAN = re.compile(r"(`+)(.+?)\1", re.DOTALL)
_URL = re.compile(r"\w+://[^\s<>\"'`]+")
_SYMBOL = re.compile(r"[\w@~$./\\:+=-]+")
_NUMBER = re.compile(r"\d+(?:[.,:'’]\d+|[\u00a0\u202f ]\d{3}(?!\d))*")
_NAME = re.compile(r"(?<![\w'’])[^\W\d_][\w'’-]*")
_KATAKANA = re.compile(r"[\u30a1-\u30fa\u30fc]{3,}")
_SENTENCE = re.compile(r"(?:^|[.!?:;。！？…]\s+|\n\s*|^\s*[-*]\s+|[\"“„«(]\s*)$")
_PLACEHOLDER = re.compile(r"^(?:<[^<>]+>|\[[^\[\]]+\]|\{[^{}]+\}|[A-Z][A-Z_]+)$")
_EDGE = ".,:;!?()[]{}<>\"'`“”„«»…"
_CAPITALS = re.compile(r"\b(?:der|die|das|und|nicht|ist|ein|eine|mit|für|von|wird|werden)\b", re.I)
_GERMAN = 2  # of these words make a text whose every noun has a capital
_WORDS = {
    "1": "one en ett ein eine einen eins once", "2": "two to zwei twice both begge beide",
    "3": "three tre drei", "4": "four fire vier", "5": "five fem fünf", "6": "six seks sechs",
    "7": "seven sju syv sieben", "8": "eight åtte acht", "9": "nine ni neun",
    "10": "ten ti zehn", "11": "eleven elleve elf", "12": "twelve tolv zwölf dozen dutzend",
    "20": "twenty tjue zwanzig", "30": "thirty tretti dreißig", "50": "fifty femti fünfzig",
    "100": "hundred hundre hundert", "1000": "thousand tusen tausend",
}  # fmt: skip


def ungrounded(text: str, quotes: Iterable[str]) -> list[str]:
    """What `text` names that no quote holds, each once, in order; empty when all is grounded.

    A placeholder in a code span (`ID`, `<queue>`) stands for anything. In a German text
    capitals name no names. Numbers are equal whatever their thousands and decimal signs.
    """
    quoted = "\n".join(quotes)
    held, numbers = _folded(quoted), set(_numbers(quoted)) | set(_in_words(quoted))
    missing = [
        name for name in _named(text)
        if not (_is_number(name) and _plain(name) in numbers) and _folded(name) not in held
    ]  # fmt: skip
    return list(dict.fromkeys(missing))


def _named(text: str) -> Iterator[str]:
    rest = text
    for match in _SPAN.finditer(text):
        yield from (part.strip(_EDGE) or part for part in match[2].split() if _stands(part))
    rest = _SPAN.sub(" ", rest)
    for match in _URL.finditer(rest):
        yield match.group().rstrip(_EDGE)
    rest = _URL.sub(" ", rest)
    symbols = [match.group() for match in _SYMBOL.finditer(rest)]
    yield from (symbol.strip(_EDGE + "=") for symbol in symbols if _is_symbol(symbol))
    yield from (match.group() for match in _NUMBER.finditer(_without_symbols(rest)))
    yield from (match.group() for match in _KATAKANA.finditer(rest))
    yield from _names(rest)


def _stands(part: str) -> bool:
    return not _PLACEHOLDER.match(part) and any(map(str.isalnum, part))


def _is_symbol(token: str) -> bool:
    """Paths, flags, dotted or snake_case names, camelCase, abbreviations, words with digits."""
    bare = token.strip(_EDGE + "=")
    if len(bare) < 2 or not any(map(str.isalpha, bare)) or not bare.isascii():
        return False
    if re.search(r"[/\\_=@~$]|\w\.\w|^--?\w|\w:\w", bare):
        return True
    upper = sum(map(str.isupper, bare))
    return (upper >= 2 and not bare.istitle()) or (
        any(map(str.isdigit, bare)) and re.match(r"^\d+[a-z%°]{0,3}$", bare) is None
    )


def _without_symbols(text: str) -> str:
    return _SYMBOL.sub(lambda match: " " if _is_symbol(match.group()) else match.group(), text)


def _names(text: str) -> Iterator[str]:
    """Words with a capital in the middle of a sentence."""
    if len(_CAPITALS.findall(text)) >= _GERMAN:
        return
    for match in _NAME.finditer(text):
        word = re.sub(r"['’]s$", "", match.group())
        if word[0].isupper() and len(word) > 1 and not _SENTENCE.search(text[: match.start()]):
            yield word


def _is_number(name: str) -> bool:
    return _NUMBER.fullmatch(name) is not None


def _numbers(text: str) -> Iterator[str]:
    for match in _NUMBER.finditer(text):
        yield _plain(match.group())
        yield from (_plain(part) for part in re.findall(r"\d+(?:[.,]\d+)?", match.group()))
        yield from re.findall(r"\d+", match.group())


def _plain(number: str) -> str:
    """A number without thousands signs and with a decimal point."""
    number = re.sub(r"(?<=\d)['’\u00a0\u202f ,.](?=\d{3}(?!\d))", "", number)
    number = re.sub(r"(?<=\d),(?=\d{1,2}(?!\d))", ".", number)
    return re.sub(r"\.0+$", "", number)


def _in_words(text: str) -> Iterator[str]:
    words = set(re.findall(r"\w+", text.casefold()))
    yield from (number for number, names in _WORDS.items() if words & set(names.split()))


def _folded(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return " ".join(folded.replace("`", "").split())
