"""What a sentence is worth remembering: a sum of what it is made of.

A fact to keep binds (a rule, a must, a consequence), explains (a cause), holds in general
and names something. What somebody does, asks, guesses or sees just now weighs against it.
"""

from __future__ import annotations

import re

from memory_core.routines import cues, statements
from memory_core.routines.statements import Statement, named
from memory_core.routines.wording import without_opening

SHORTEST = 4  # words
NOTHING = -9.0
USER, AGENT = 3.0, 3.5  # from where a sentence is a finding
_NUMBER = re.compile(r"(?<![\w-])\d[\d.,:]*")
_COUNT = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|tre|fire|fem|seks|ti"
    r"|zwei|drei|vier|fünf|sechs|zehn|deux|trois|dos|tres)(?= \w+)"
)
_ONE_OFF = re.compile(
    r"(?<![\w.,])\d{2,3}(?:\d{3}|(?:,\d{3})+)(?![\w.,])|\b[0-9a-f]{8}-[0-9a-f]{4}-"
)
_NAME = re.compile(r"(?<=[a-zæøåäöü,;:] )[A-ZÆØÅÄÖÜ][\w'’-]+")
_IS = re.compile(
    r"\b(?:is|are|has|have|handles?|holds?|takes?|gives?|lies|comes?|goes|runs?|answers?|faces"
    r"|works?|means"
    r"|makes?|hangs?|lives?|stands?|er|har|ligger|står|går|ist|sind|hat|liegt|steht|gilt)\b"
    r"|です|ます|は"
)
_SELF = re.compile(r"\b(?:I|we|jeg|ich) (?!noticed|found|know)\w+", re.IGNORECASE)
_PAST = re.compile(
    r"^(?:\W*\w+\W+){0,3}(?:was|were|had|did|made|ran|went|found|failed|said|wrote|gave|got|took"
    r"|came"
    r"|var|hadde|ble|war|waren|hatte|wurde)\b|\d (?:passed|replayed|skipped|updates?|rows|failed)\b"
    r"|^(?:that|it|this|they) \w+ed\b"
    r"|^(?!.*\b(?:is|are|be|been|being|was|were|has|have|had|can|must"
    r"|may)\b)[^`;:]*\w{3,}ed\b[^`;:]*$",
    re.IGNORECASE,
)


def worth(statement: Statement) -> float:
    """How much a sentence is worth; see `USER` and `AGENT`. Below zero: surely nothing."""
    text = statement.text
    if is_short(text) or cues.QUESTION.search(text) or "[redacted:" in text:
        return NOTHING
    if statement.row.source == "user":
        return _by_user(text)
    return _by_agent(without_opening(text), text)


def _by_user(text: str) -> float:
    standing = bool(cues.STANDING.search(text)) and not cues.HABIT.search(text)
    rule = 3.0 * standing + 2.0 * bool(cues.EVERY_SESSION.search(text))
    wish = 2.0 * bool(cues.PREFERENCE.search(text)) + 1.0 * bool(cues.MUST.search(text))
    told = 2.0 * bool(cues.CORRECTION.search(text)) + 2.0 * bool(cues.DECISION.search(text))
    fact = 1.0 * bool(_IS.search(text)) + min(1.5, 0.75 * _specifics(text))
    fact += 1.5 * bool(cues.CONTRAST.search(text)) + 1.0 * bool(cues.LIMIT.search(text))
    fact += 1.5 * bool(cues.EVERY.search(text) and cues.REASON.search(text))
    fact += 0.5 * bool(cues.CONSEQUENCE.search(text)) + 0.5 * bool(cues.CAUSE.search(text))
    against = 3.0 * bool(cues.GUESS.search(text)) + 2.5 * bool(cues.PASSING.search(text))
    against += 3.0 * bool(cues.REQUEST.search(text))
    if not rule:
        against += 1.5 * bool(_PAST.search(text)) + 1.5 * bool(cues.TROUBLE.search(text))
    return rule + wish + told + fact - against


def _by_agent(text: str, whole: str) -> float:
    """`text` is the sentence without its opening, `whole` with it."""
    why = 1.5 * bool(cues.CONSEQUENCE.search(text)) + 1.0 * bool(cues.CAUSE.search(text))
    why += 1.5 * bool(cues.LESSON.search(whole)) + 1.0 * bool(cues.GENERAL.search(text))
    why += 1.0 * bool(cues.STANDING.search(text)) + 1.0 * bool(cues.CONCLUDES.search(whole))
    binds = (2.0 if why else 0.5) * bool(cues.MUST.search(text)) + 2.0 * bool(
        cues.LIMIT.search(text)
    )
    tells = 1.5 * bool(cues.EFFECT.search(text)) + 0.5 * bool(_IS.search(text))
    names = min(1.5, 0.75 * len(named(text))) + 0.5 * bool(_NUMBER.search(text))
    against = 3.0 * bool(cues.GUESS.search(text)) + 2.0 * bool(cues.PASSING.search(text))
    against += 2.0 * bool(cues.STATUS.search(text)) + _acting(text)
    against += 1.5 * bool(_PAST.search(text)) + 2.0 * bool(_ONE_OFF.search(text))
    against += 1.0 * bool(cues.TROUBLE.search(text) and not (binds or why or names))
    against += 2.0 * (not names and len(statements.content(text)) < 3)
    return why + min(binds, 3.0) + tells + names - against


def _acting(text: str) -> float:
    """What the speaker does weighs against it, less where another clause says what for."""
    tells_more = len(re.split(r"[;:] ", text, maxsplit=1)[-1].split()) >= 5 and re.search(
        r"[;:] ", text
    )
    if cues.ACTION.search(text):
        return 0.5 if tells_more else 2.0
    return 2.0 if _SELF.search(text) and not tells_more else 0.0


def _specifics(text: str) -> int:
    numbers = _NUMBER.findall(text) + _COUNT.findall(text)
    return len(named(text)) + len(numbers) + len(_NAME.findall(text))


def is_short(text: str) -> bool:
    """Whether a text is too short to say anything by itself."""
    if re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", text):
        return len(text) < 10
    return len(re.findall(r"\w+", text)) < SHORTEST
