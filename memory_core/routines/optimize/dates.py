"""Dates that a text says something ends on, in English, Norwegian and German.

A date alone is history ("installed in May 2025"); one behind "until" is a promise to look
again. A sentence in the past tense tells of what was, and is left alone.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from datetime import date

_MONTHS = (
    "january januar jan", "february februar feb", "march mars märz", "april apr", "may mai",
    "june juni jun", "july juli jul", "august aug", "september sept sep",
    "october oktober oct okt", "november nov", "december desember dezember dec des dez",
)  # fmt: skip
_MONTH_OF = {name: at for at, names in enumerate(_MONTHS, 1) for name in names.split()}
_MONTH = "|".join(sorted(_MONTH_OF, key=len, reverse=True))
_DATE = (
    r"(?P<iso>\d{4}-\d{2}-\d{2})"
    r"|(?P<dotted>\d{1,2}\.\d{1,2}\.\d{4})"
    rf"|(?:(?P<day>\d{{1,2}})\.?\s+)?(?P<month>{_MONTH})\.?(?:\s+\d{{1,2}}:\d{{2}})?,?\s+(?P<year>\d{{4}})"
    rf"|(?P<month2>{_MONTH})\.?\s+(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year2>\d{{4}})"
)
_CUE = (
    r"(?:until|till|through|expires?(?: on)?|valid to|ends?(?: on)?|due(?: on| by)?|no later than"
    r"|deadline:?|by|frem til|gyldig til|gjelder til|utløper|frist:?|innen|til|bis(?: zum)?"
    r"|läuft(?: am)? .{0,10}ab|endet(?: am)?|gültig bis|spätestens(?: am)?)"
)
_RANGE = r"\d[^.;\n]{0,30}?\s(?:to|–|til|bis)"
_ENDING = re.compile(
    rf"(?<!\w)(?:{_CUE}|{_RANGE})\s+(?:the |den |dem )?(?:\w+(?:day|dag|tag),? )?(?:{_DATE})",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(  # the full stop of "31. March" ends none
    r"(?<=[.;!?])(?<!\b\d\.)(?<!\b\d\d\.)\s+(?=[A-ZÆØÅÄÖÜ])|\n"
)
_PAST = re.compile(
    r"(?<!\w)(?:was|were|had|used to|did|ran|lasted|var|hadde|ble|gjaldt|war|waren|wurde|galt"
    r"|hatte|tidligere|früher|formerly|earlier)(?!\w)",
    re.IGNORECASE,
)


def ended(text: str, today: date) -> Iterator[tuple[date, str]]:
    """Each date before `today` that something ends on, with the words that say so."""
    for sentence in _SENTENCE_END.split(text):
        for match in _ENDING.finditer(sentence):
            before = sentence[: match.start()]
            end = _date(match)
            if end and end < today and not _PAST.search(sentence) and not before.endswith("("):
                yield end, match.group()


def _date(match: re.Match[str]) -> date | None:
    try:
        if match["iso"]:
            return date.fromisoformat(match["iso"])
        if match["dotted"]:
            return date(*(int(part) for part in reversed(match["dotted"].split("."))))
        name = (match["month"] or match["month2"]).casefold()
        year, month = int(match["year"] or match["year2"]), _MONTH_OF[name]
        day = match["day"] or match["day2"]
        return date(year, month, int(day) if day else calendar.monthrange(year, month)[1])
    except (ValueError, KeyError):
        return None
