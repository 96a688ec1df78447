"""Changes: sentences that say that something is no longer what it was.

A change has the old side and the new side of a cue ("60 instead of 45", "no longer",
"fra 22:30 til 23:00", "25日ではなく20日"). Each side is its values, or its words where it
has none. Cues are general language; none names a subject.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from memory_core.routines import cues
from memory_core.routines.dream.values import Value, values
from memory_core.routines.statements import content

How = Literal["replaced", "gone", "now"]

_NEAR = 60  # characters of a side that belong to the cue
_BEHIND = 12  # characters between a cue and the value that it is about
_CLAUSE = re.compile(r"[;；、。]|,(?!\d)|\s[–—]\s|\s\((?=\w)")
_INSTEAD = (
    r"instead of|rather than|in place of|i stedet for|istedenfor|istedet for|anstatt|statt|anstelle (?:von|des|der)"
    r"|au lieu de|en vez de|in plaats van|istället för|replaces|supersedes|erstatter|ersetzt(?! durch)"
)
_BECAME = (
    r"(?:is |was |are |were |been |be )?replaced (?:by|with)|has become|became|is now called|erstattet av|byttet ut med"
    r"|(?:wird|wurde|ist) .{0,20}?ersetzt durch|->|→|=>|⇒"
)
_CHANGING = (
    r"chang\w*|rais\w+|lower\w*|mov(?:e|es|ed|ing)\b|switch\w*|migrat\w+|upgrad\w+|increas\w+|reduc\w+|renam\w+|bump\w*"
    r"|shorten\w*|extend\w*|went|goes|set|cut|grew|adjust\w*|endr\w+|øk\w+|flytt\w+|senk\w+|sett\w*|hev\w+|bytt\w+"
    r"|oppgrader\w+|redus\w+|erhöh\w+|gesenkt|senken|geänder\w+|ändern|umgestell\w+|umgezogen|verschoben|gewechselt"
    r"|verläng\w+|verkürz\w+|aktualisier\w+"
)
_GONE = re.compile(
    r"(?<![\w-])(?:no longer|not any ?more|n[o']t .{1,40}? any ?more|is gone|are gone|(?:is|are|was|were) (?:retired|abolished|"
    r"discontinued|switched off)|ikke lenger|ikke mer|er (?:lagt ned|avviklet)|nicht mehr|nicht länger|abgeschafft"
    r"|ne .{1,30}? plus|ya no|niet meer|inte längre)(?![\w-])|もう.{1,20}(?:ない|ません)|なくなりました|廃止",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"(?<![\w-])(?:now|from now on|from here on|as of|since|effective|the new|new|moved to|changed to|raised to|lowered to"
    r"|set to|nå|fra nå|heretter|ny(?:e|tt)?|siden|flyttet til|endret til|jetzt|ab jetzt|ab sofort|seit|neu(?:e|er|es|en)?"
    r"|künftig|umgezogen nach)(?![\w-])|になりました|に変わりました|に変更|新しい|今は|これから",
    re.IGNORECASE,
)
_TEMPORARY = re.compile(
    r"(?<![\w-])(?:(?:only|just) (?:for )?(?:today|tonight|now|this|once)|(?:today|tonight|this (?:time|week|once)) only"
    r"|for now|for the moment|temporar\w+|until (?!further)\w+|bare (?:i dag|nå|denne)|foreløpig|midlertidig|inntil"
    r"|nur (?:heute|dieses|diese|jetzt)|vorerst|vorübergehend|bis auf weiteres)(?![\w-])|今日だけ|今回だけ|一時的|とりあえず",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"(?<![\w-])(?:if (?:we|you|they|one|it|i)|should (?:we|i)|shall (?:we|i)|could|hvis|dersom|falls|wenn (?:wir|man|ich)"
    r"|sollten? (?:wir|ich))(?![\w-])|もし|たら|れば",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"(?<![\w-])(?:back to|stays? (?:at|as|on)|keep(?:s|ing)? (?:it )?(?:at|on)|remains?|tilbake (?:til|på)|blir på"
    r"|fortsatt på|zurück (?:auf|zu)|bleibt? (?:bei|es bei)|beim alten)(?![\w-])|に戻|のまま",
    re.IGNORECASE,
)
_WORD = r"[^,;:。、()]"
_SIDES: tuple[re.Pattern[str], ...] = (
    re.compile(rf"(?P<new>.*?)(?<![\w-])(?:{_INSTEAD})(?![\w-])\s*(?P<old>.*)", re.I | re.S),
    re.compile(rf"(?P<old>.*?)(?:(?<![\w-])(?:{_BECAME})(?![\w-])|->|→|=>|⇒)\s*(?P<new>.*)", re.I | re.S),
    re.compile(
        rf"(?=.*?(?<![\w-])(?:{_CHANGING})(?![\w-])).*?(?<![\w-])(?:from|fra|von|vom)\s+(?P<old>{_WORD}{{1,40}}?)"
        rf"\s+(?:to|til|auf|zu|nach|på)\s+(?P<new>.*)", re.I | re.S),
    re.compile(r"(?:.*[はがを])?(?P<old>[^、。はがを]{1,20})(?:では|じゃ)な(?:くて?|い)(?:、)?(?P<new>.*)", re.S),
    re.compile(r"(?:.*[はがを])?(?P<old>[^、。はがを]{1,20})から、?(?P<new>[^、。]{1,20})(?:に|へ)(?:変|移|なり|切り替|し).*", re.S),
)  # fmt: skip
_WHOLE: tuple[re.Pattern[str], ...] = (
    re.compile(
        r"(?<![\w-])(?:not|ikke|nicht|isn't|n't)(?: any ?more| longer| lenger| mehr| länger)?\s+(?P<old>[^,;。]{1,50}),?\s+"
        r"(?:but|men|sondern)\s+(?P<new>.*)", re.I | re.S),
    re.compile(
        r"(?P<new>.*?),?\s+(?:and |og |und )?(?:not|ikke|nicht|no longer|ikke lenger|nicht mehr)\s+(?:at |på |um |on |in )?"
        r"(?P<old>[^,;。\s]{1,30}(?:\s\w{1,12})?)(?=[,.;!]|\s*$)", re.I | re.S),
)  # fmt: skip


_CUE = re.compile(
    rf"(?<![\w-])(?:{_INSTEAD}|{_BECAME}|not|n't|ikke|nicht|from|fra|von|vom)(?![\w-])|->|→|=>|ではな|じゃな|から"
    rf"|{_GONE.pattern}|{_NOW.pattern}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a change: its nearest values, and the words where it has none."""

    values: tuple[Value, ...] = ()
    terms: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.values or self.terms)


@dataclass(frozen=True, slots=True)
class Change:
    """`replaced` names both sides, `gone` the old one, `now` the new one."""

    how: How
    old: Side
    new: Side


def cue(sentence: str) -> bool:
    """Whether a sentence has any cue of a change; cheap."""
    return _CUE.search(sentence) is not None


def changes(sentence: str) -> list[Change]:
    """What a sentence says has changed; nothing for questions, guesses and passing things."""
    if is_doubtful(sentence):
        return []
    found = [*_whole(sentence)]
    if not found:
        found = [change for clause in _clauses(sentence) for change in _of_clause(clause)]
    if not found and _GONE.search(sentence):
        found = [*_gone(sentence)]
    if not found and _NOW.search(sentence) and (new := tuple(values(sentence))):
        found = [Change("now", Side(), Side(new))]
    return found


def is_doubtful(sentence: str) -> bool:
    """Whether it asks, guesses, supposes, or holds for a while only."""
    return bool(
        cues.QUESTION.search(sentence) or cues.GUESS.search(sentence)
        or _TEMPORARY.search(sentence) or _CONDITION.search(sentence)
    )  # fmt: skip


def keeps(sentence: str) -> list[Value]:
    """The values that a sentence says things stay at, or go back to."""
    match = _BACK.search(sentence)
    if match is None or cues.QUESTION.search(sentence):
        return []
    return [value for value in values(sentence) if value.at < match.end() + _NEAR]


def _clauses(sentence: str) -> Iterator[str]:
    yield from (part.strip() for part in _CLAUSE.split(sentence) if part and part.strip())


def _of_clause(clause: str) -> Iterator[Change]:
    for pattern in _SIDES:
        match = pattern.fullmatch(clause)
        if match:
            old = _side(match["old"], first=True)
            new = _side(match["new"], first=pattern is not _SIDES[0], like=old)
            if old:
                yield Change("replaced", old, new)
                return


def _whole(sentence: str) -> Iterator[Change]:
    """Patterns whose sides a comma parts; only between values of one kind."""
    for pattern in _WHOLE:
        match = pattern.search(sentence)
        if match:
            old = _side(match["old"], first=True)
            new = _side(match["new"], first=pattern is _WHOLE[0], like=old)
            if old.values and any(v.is_like(old.values[0]) for v in new.values):
                yield Change("replaced", old, new)
                return


def _gone(sentence: str) -> Iterator[Change]:
    """A thing that is gone: the words of its clause, and a value right behind the cue."""
    parts = [*_clauses(sentence)]
    for at, part in enumerate(parts):
        if match := _GONE.search(part):
            behind = [value for value in values(part[match.end() :]) if value.at < _BEHIND]
            terms = frozenset(content(_GONE.sub(" ", part)))
            rest = " ".join(parts[at + 1 :])
            yield Change("gone", Side(tuple(behind[:1]), terms), _side(rest, first=True))
            return


def _side(text: str, *, first: bool, like: Side | None = None) -> Side:
    text = text[:_NEAR] if first else text[-_NEAR:]
    found = values(text)
    if like and like.values:
        found = [value for value in found if value.is_like(like.values[0])]
    if found:
        return Side((found[0] if first else found[-1],), frozenset(content(text)))
    words = re.findall(r"\S+", text)
    near = words[:5] if first else words[-5:]
    return Side((), frozenset(content(" ".join(near))))
