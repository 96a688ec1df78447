"""What a sentence is worth remembering: a sum of what it is made of.

A fact to keep binds (a rule, a must, a consequence), explains (a cause), holds in general
and names something. What somebody does, asks, guesses or sees just now weighs against it.
"""

from __future__ import annotations

import re

from memory_core.routines import cues
from memory_core.routines.statements import Statement, named

SHORTEST = 4  # words
USER, AGENT = 3.0, 3.5  # from where a sentence is a finding
_NUMBER = re.compile(r"(?<![\w-])\d[\d.,:]*")
_ONE_OFF = re.compile(r"(?<![\w.])\d{5,}(?![\w.])|\b[0-9a-f]{8}-[0-9a-f]{4}-")
_NAME = re.compile(r"(?<=[a-zæøåäöü,;:] )[A-ZÆØÅÄÖÜ][\w'’-]+")
_IS = re.compile(
    r"\b(?:is|are|has|have|holds?|takes?|gives?|lies|comes?|goes|runs?|answers?|faces|works?|means"
    r"|makes?|hangs?|lives?|stands?|er|har|ligger|står|går|ist|sind|hat|liegt|steht|gilt)\b|です|ます|は"
)
_PAST = re.compile(
    r"^(?:\W*\w+\W+){0,3}(?:was|were|had|did|made|ran|went|found|failed|said|wrote|gave|got|took|came"
    r"|var|hadde|ble|war|waren|hatte|wurde)\b|\d (?:passed|replayed|skipped|updates?|rows|failed)\b",
    re.IGNORECASE,
)


def worth(statement: Statement) -> float:
    """How much a sentence is worth; see `USER` and `AGENT`. Below zero: surely nothing."""
    text = statement.text
    if _is_too_short(text) or cues.QUESTION.search(text) or "[redacted:" in text:
        return -9.0
    return _by_user(text) if statement.row.source == "user" else _by_agent(text)


def _by_user(text: str) -> float:
    rule = 3.0 * bool(cues.STANDING.search(text)) + 2.0 * bool(cues.EVERY_SESSION.search(text))
    wish = 2.0 * bool(cues.PREFERENCE.search(text)) + 1.0 * bool(cues.MUST.search(text))
    told = 2.0 * bool(cues.CORRECTION.search(text)) + 2.0 * bool(cues.DECISION.search(text))
    fact = 1.0 * bool(_IS.search(text)) + min(1.5, 0.75 * _specifics(text))
    fact += 0.5 * bool(cues.CONSEQUENCE.search(text)) + 0.5 * bool(cues.CAUSE.search(text))
    against = 3.0 * bool(cues.GUESS.search(text)) + 2.5 * bool(cues.PASSING.search(text))
    if not rule:
        against += 3.0 * bool(cues.REQUEST.search(text)) + 1.5 * bool(_PAST.search(text))
    return rule + wish + told + fact - against


def _by_agent(text: str) -> float:
    binds = 2.0 * bool(cues.MUST.search(text)) + 1.5 * bool(cues.CONSEQUENCE.search(text))
    binds += 1.0 * bool(cues.STANDING.search(text))
    tells = 1.0 * bool(cues.CAUSE.search(text)) + 1.5 * bool(cues.LESSON.search(text))
    tells += 1.0 * bool(cues.GENERAL.search(text)) + 0.5 * bool(_IS.search(text))
    names = min(1.5, 0.75 * len(named(text))) + 0.5 * bool(_NUMBER.search(text))
    against = 3.0 * bool(cues.GUESS.search(text)) + 2.0 * bool(cues.PASSING.search(text))
    against += 2.0 * bool(cues.STATUS.search(text)) + 2.0 * bool(cues.ACTION.search(text))
    against += 1.5 * bool(_PAST.search(text)) + 2.0 * bool(_ONE_OFF.search(text))
    return binds + tells + names - against


def _specifics(text: str) -> int:
    return len(named(text)) + len(_NUMBER.findall(text)) + len(_NAME.findall(text))


def _is_too_short(text: str) -> bool:
    if re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", text):
        return len(text) < 10
    return len(re.findall(r"\w+", text)) < SHORTEST
