"""Values: what a fact can change in: numbers, times, weekdays, versions, paths, hosts, code.

A value is compared by its normal form and by its class (`%`, `h`, `time`, `weekday`,
`version`, `path`, `host`, `code`; "" for a bare number). Numbers are equal whatever their thousands
and decimal signs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_core.text import fold

_NAMES = {
    "%": "% percent per-cent prosent prozent pct パーセント ％",
    "ms": "ms millisecond milliseconds",
    "s": "s sec second seconds sekund sekunder sekunde sekunden 秒",
    "min": "min minute minutes minutt minutter minuten 分 分間",
    "h": "h hr hrs hour hours time timer t stunde stunden 時間",
    "day": "d day days dag dager døgn tag tage tagen 日 日間",
    "week": "week weeks uke uker woche wochen 週間",
    "month": "month months måned måneder monat monate ヶ月 か月",
    "year": "year years år jahr jahre 年",
    "kb": "kb kib", "mb": "mb mib m", "gb": "gb gib", "tb": "tb tib",
    "degree": "degree degrees grad grader °c ° 度",
    "euro": "euro euros eur €", "nok": "nok kr kroner", "usd": "usd dollar dollars $", "yen": "円",
    "ml": "ml", "l": "l liter litre litres", "g": "g gram grams gramm", "kg": "kg kilo kilos",
    "mm": "mm", "cm": "cm", "m": "metre metres meter", "km": "km",
}  # fmt: skip
_UNITS = {unit: name for name, units in _NAMES.items() for unit in units.split()}
_DAYS = {
    "mon": "monday mondays mandag mandager montag montags 月曜日 月曜",
    "tue": "tuesday tuesdays tirsdag tirsdager dienstag dienstags 火曜日 火曜",
    "wed": "wednesday wednesdays onsdag onsdager mittwoch mittwochs 水曜日 水曜",
    "thu": "thursday thursdays torsdag torsdager donnerstag donnerstags 木曜日 木曜",
    "fri": "friday fridays fredag fredager freitag freitags 金曜日 金曜",
    "sat": "saturday saturdays lørdag lørdager samstag samstags sonnabend 土曜日 土曜",
    "sun": "sunday sundays søndag søndager sonntag sonntags 日曜日 日曜",
}
_WEEKDAYS = {word: day for day, words in _DAYS.items() for word in words.split()}
_WEEKDAY = re.compile(
    rf"(?<![a-zæøåäöü])(?:{'|'.join(sorted(_WEEKDAYS, key=len, reverse=True))})(?![a-zæøåäöü])",
    re.I,
)
_TIME = re.compile(r"(?<![\d:.])([01]?\d|2[0-4])[:.]([0-5]\d)(?![\d:%]|\.\d)")
_VERSION = re.compile(r"(?<![\w.])v?\d+(?:\.\d+){1,3}(?:-[\w.]+)?(?![\w.]*\d|\.\d)")
_PATH = re.compile(r"(?<![\w`/])~?(?:/[\w@.*<>{}-]+){2,}/?|(?<![\w/])[\w.-]+(?:/[\w.@*<>-]+)+")
_HOST = re.compile(
    r"(?<![\w@/.-])(?=[\w.-]*[a-z])(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]+(?![\w-]*\()|\b[a-z]+-\d{1,3}\b",
    re.I,
)
_CODE = re.compile(r"`([^`\n]+)`")
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.,/-])(\d{1,3}(?:[,'’\u00a0\u202f ]\d{3})+(?!\d)|\d+(?:[.,]\d+)?)"
    r"(?:[ \u00a0]?(%|％|°[cC]?|€|\$|[^\W\d_]{1,12}))?"
)
_CJK_UNIT = re.compile(r"^(?:パーセント|時間|日間|分間|週間|ヶ月|か月|秒|分|日|年|度|円)")


_NAMED = frozenset(("time", "weekday", "version", "path", "host", "code"))


@dataclass(frozen=True, slots=True)
class Value:
    """`norm` compares, `kind` classes, `text` is as written, `at` its place in the text."""

    norm: str
    kind: str
    text: str
    at: int

    def is_like(self, other: Value) -> bool:
        """Whether both may be values of one thing: a bare number may have any unit."""
        numeric = self.norm[:1].isdigit() and other.norm[:1].isdigit()
        if self.kind in _NAMED or other.kind in _NAMED:
            return self.kind == other.kind
        return numeric and (self.kind == other.kind or not self.kind or not other.kind)

    def equals(self, other: Value) -> bool:
        """Whether both are the same value of the same class."""
        return self.norm == other.norm and (self.is_like(other) or self.kind == other.kind)


def values(text: str) -> list[Value]:
    """Every value of a text, in order; a piece belongs to one value only."""
    found: list[Value] = []
    taken: list[tuple[int, int]] = []

    def take(begin: int, end: int, norm: str, kind: str) -> None:
        if norm and not any(begin < stop and start < end for start, stop in taken):
            taken.append((begin, end))
            found.append(Value(norm, kind, text[begin:end], begin))

    for match in _CODE.finditer(text):
        inner = match[1].strip()
        if not re.search(r"\s", inner) and not _NUMBER.fullmatch(inner):
            take(match.start(), match.end(), fold(inner), _kind_of_code(inner))
    for match in _PATH.finditer(text):
        if not re.fullmatch(r"[\d./]+", match.group()):
            take(match.start(), match.end(), fold(match.group().rstrip("/.")), "path")
    for match in _WEEKDAY.finditer(text):
        take(match.start(), match.end(), _WEEKDAYS[match.group().casefold()], "weekday")
    for match in _TIME.finditer(text):
        if ":" in match.group() or re.match(r"\s*uhr", text[match.end() :], re.I):
            take(match.start(), match.end(), f"{int(match[1]):02}:{match[2]}", "time")
    for match in _HOST.finditer(text):
        if not _FILE_OR_ABBREVIATION.fullmatch(match.group()):
            take(match.start(), match.end(), fold(match.group()), "host")
    for match in _VERSION.finditer(text):
        if match.group().count(".") > 1 or match.group().startswith("v"):
            take(match.start(), match.end(), match.group().lower().lstrip("v"), "version")
    for match in _NUMBER.finditer(text):
        unit, length = _unit(match[2] or "")
        end = match.start(2) + length if length else match.end(1)
        take(match.start(), end, number(match[1]), unit)
    return sorted(found, key=lambda value: value.at)


_FILE_OR_ABBREVIATION = re.compile(
    r"(?:[\w-]+\.){1,2}|e\.g|i\.e|z\.b|f\.eks|u\.a|d\.h|bl\.a|\d[\d.]*[a-z]?", re.I
)


def number(text: str) -> str:
    """Without thousands signs, with a decimal point."""
    text = re.sub(r"(?<=\d)[,'’\u00a0\u202f ](?=\d{3}(?!\d))", "", text)
    return re.sub(r"\.0+$", "", text.replace(",", "."))


def _unit(word: str) -> tuple[str, int]:
    """The class of a unit and how many characters of the word it takes."""
    if match := _CJK_UNIT.match(word):
        word = match.group()
    unit = _UNITS.get(word.casefold(), "")
    return unit, len(word) if unit else 0


def _kind_of_code(text: str) -> str:
    if _HOST.fullmatch(text):
        return "host"
    return "path" if "/" in text else "code"
