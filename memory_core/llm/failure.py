"""What a provider's failure becomes: an error of the tree, in words that give nothing away.

Too many requests, a fault of the server, no connection and a time-out are transient;
login, balance, an unknown model and a request that is too long are not. No key and no
piece of what was sent gets into the text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from memory_core.errors import ModelRefused, ModelUnavailable
from memory_core.redaction import redacted
from memory_core.text import clean, one_line

SHOWN = 200  # characters of a provider's own words
_READ = 4000  # characters of them that are looked at; an error may bring a whole page
_PIECE = 24  # characters in a row that give away what was sent
_TRANSIENT = frozenset({408, 409, 425, 429})
_SECRET_NAME = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD)$")
_CLASSES = re.compile(r"^(?:(?:[\w.]*(?:Error|Exception|Timeout)|Timeout Error)\s*[:-]\s+)+")
_MASKED = re.compile(r"\S*\*{3,}\S*")
_BALANCE = re.compile(
    r"insufficient|balance|billing|payment|credit|exceeded your current quota|subscription"
    r"|usage limit",
    re.IGNORECASE,
)
_SOON = re.compile(r"retry (?:in|after)\b|per (?:minute|second)|rate.?limit", re.IGNORECASE)
_LENGTH = re.compile(
    r"context.{0,12}(?:length|window)|maximum context|prompt is too long|too many tokens|too long",
    re.IGNORECASE,
)
_LOGIN = re.compile(
    r"log ?in|logged (?:in|out)|api.?key|unauthori[sz]ed|authenticat|credentials?|forbidden",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"rate.?limit|too many requests|overloaded|temporarily|timed? ?out|time-out|try again later"
    r"|connection|unavailable|\b(?:429|5\d\d)\b",
    re.IGNORECASE,
)


def of_status(model: str, status: int, said: str) -> ModelUnavailable | ModelRefused:
    """The error for an answer with an HTTP status; `said` is safe to show."""
    told = f"{model} answered {status}" + (f": {said}" if said else "")
    refused = _refused(told, said, status)
    if refused:
        return refused
    if status in _TRANSIENT or status >= 500:
        return ModelUnavailable(told, remedy="try again later")
    return ModelRefused(told, remedy="check llm_model, llm_api_base and llm_api_key")


def of_words(model: str, said: str) -> ModelUnavailable | ModelRefused:
    """The error for a command that failed with a text and no status."""
    told = f"{model} failed: {said or 'it said nothing'}"
    refused = _refused(told, said, 0)
    if refused:
        return refused
    if _LATER.search(said):
        return ModelUnavailable(told, remedy="try again later")
    return ModelRefused(told, remedy="run the command by hand to see what it needs")


def _refused(told: str, said: str, status: int) -> ModelRefused | None:
    """The refusals that a text gives away, whatever the status says."""
    soon = status == 429 and _SOON.search(said)
    if status == 402 or (status < 500 and not soon and _BALANCE.search(said)):
        return ModelRefused(told, remedy="the account has no balance or quota left")
    if status == 413 or (status in (0, 400, 422) and _LENGTH.search(said)):
        return ModelRefused(told, remedy="set llm_context_tokens to what the model can hold")
    if status in (401, 403) or (status == 0 and _LOGIN.search(said)):
        return ModelRefused(told, remedy="log in, or check llm_api_key")
    if status == 404:
        return ModelRefused(told, remedy="check llm_model and llm_api_base")
    return None


def told(text: str, sent: Iterable[str], keys: Iterable[str] = ()) -> str:
    """A provider's words in one line; empty where they repeat what was sent."""
    line = _CLASSES.sub("", one_line(clean(text))[:_READ])
    if re.search(r"<(?:!doctype|html|body)", line, re.IGNORECASE):
        return "a web page"
    for key in sorted({*keys, *_environment()}, key=len, reverse=True):
        line = line.replace(key, "[redacted: key]")
    line = redacted(_MASKED.sub("[redacted: key]", line))
    whole = one_line(" ".join(sent))
    pieces = (line[at : at + _PIECE] for at in range(max(0, len(line) - _PIECE) + 1))
    if any(len(piece) == _PIECE and piece in whole for piece in pieces):
        return ""
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"


def _environment() -> list[str]:
    """Values that the environment holds under a secret's name."""
    return [
        value for name, value in os.environ.items() if _SECRET_NAME.search(name) and len(value) > 7
    ]
