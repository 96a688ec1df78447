"""From a model's words to a checked object; what is unclear is a fault, never a guess.

Only what cannot change the content is forgiven: thoughts before the object, a code fence
and prose around it. Fields that the schema does not name are refused at every depth, so
a renamed field is a fault and not an empty list.
"""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

R = TypeVar("R", bound=BaseModel)

_MARKUP = re.compile(r"\s*<(?:!doctype|html|\?xml)", re.IGNORECASE)
_OBJECT = re.compile(r"\{\s*[\"'}]")  # where an object begins, a broken one too
_SHOWN = 3  # faults that are told at once


class Unusable(Exception):
    """The reply cannot be used; the text says why, in words that a model understands."""


def parse(text: str, schema: type[R]) -> R:
    """The one object in a reply. Raises `Unusable`."""
    document = _object(without_thoughts(text))
    try:
        return schema.model_validate_json(document, extra="forbid")
    except ValidationError as error:
        raise Unusable(_faults(error)) from None


def without_thoughts(text: str) -> str:
    """The reply after a model's thinking, where it begins with that.

    A reply that begins with its object is left alone: such a mark within is content.
    """
    text = text.strip().removeprefix("\ufeff").strip()
    end = text.find("</think>")
    begins = text.startswith("<think>")
    if begins and end < 0:
        raise Unusable("it ends within <think>, before any JSON object")
    if end >= 0 and (begins or "{" not in text[:end]):
        return text[end + len("</think>") :].strip()
    return text


def _object(text: str) -> str:
    """The text of the one JSON object in a reply."""
    if not text:
        raise Unusable("it is empty")
    if _MARKUP.match(text):
        raise Unusable("it is a web page, not JSON")
    found: list[str] = []
    at = 0
    while match := _OBJECT.search(text, at):
        at = _end(text, match.start())
        found.append(text[match.start() : at])
    if not found:
        raise Unusable("it holds no JSON object")
    if len(found) > 1:
        raise Unusable(f"it holds {len(found)} JSON objects instead of one")
    if text.startswith("["):
        raise Unusable("it is a list; one JSON object is wanted")
    return found[0]


def _end(text: str, start: int) -> int:
    """Where the object that begins at `start` ends."""
    try:
        return _STRICT.raw_decode(text, start)[1]
    except json.JSONDecodeError as error:
        if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated"):
            raise Unusable("it is cut in the middle: the JSON object has no end") from None
        line = f"line {error.lineno}, column {error.colno}"
        raise Unusable(f"its JSON is broken: {error.msg} ({line})") from None
    except (ValueError, RecursionError) as error:
        raise Unusable(f"its JSON is broken: {error}") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        raise ValueError("a field occurs twice in one object")
    return document


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


_STRICT = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse)


def _faults(error: ValidationError) -> str:
    """The first faults by place; values are not repeated."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    told = [f"{'.'.join(map(str, one['loc'])) or 'it'}: {one['msg']}" for one in found[:_SHOWN]]
    more = len(found) - _SHOWN
    return "; ".join(told) + (f"; and {more} more" if more > 0 else "")
