"""Secrets by their shape and by the words around them; standard library only.

`found(text)` names every secret with its place and kind, `redacted(text)` puts a marker
such as `[redacted: password]` in its stead, `kinds(text)` names the kinds a text holds.
Look-alikes stay: placeholders, examples, templates, code that reads a secret from
elsewhere, sentences about secrets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from memory_core.secret_commands import COMMANDS
from memory_core.secret_places import placed
from memory_core.secret_reading import readings
from memory_core.secret_shapes import CONTEXTS, SHAPES, Rule

Found = tuple[int, int, str]  # start, end, kind

MARKER = re.compile(r"\[redacted: [a-z0-9 -]+\]")

_PLACEHOLDER = re.compile(
    r"example|placeholder|changeme|change[-_]me|redacted|your[-_ ]|\byour|insert|x{4,}|\*{3}|\.{3}"
    r"|…|^<|>$|\$\{|\{\{|^\$\(|^\$[A-Za-z_]|^%[A-Za-z_]+%?$|^@|^\{[^}]*\}$|^(.)\1*$|0123456789abcdef"
    r"|todo|^n/?a$|^(?:none|null|nil|true|false|undefined|unset|empty|missing|invalid|required"
    r"|optional|hidden|string|str|text|password|passwd|pass|pwd|secret|token|user|username|value"
    r"|key|api_?key|credentials?|env|bytes|object|boolean|number|int|any|yes|no|on|off|default"
    r"|expired|rotated|wrong|ok|set|not"
    r"|varchar\d*|char\d+|utf8\w*|sha-?\d+|md5|base64|bcrypt\d*|argon2\w*|u?int\d+|oauth2?|rfc-?\d+)$",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"^(?:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[a-z_]+|[a-z]+(?:[A-Z][a-z]+)+|[A-Z][a-z]+(?:[A-Z][a-z]+)*"
    r"|[A-Z]+(?:_[A-Z]+)+)(?:[?!]?$|\(|\[)"
)
_PATH = re.compile(r"^(?:~?\.{0,2}/[\w.~-]|[a-z][a-z0-9+.-]*://|[A-Z]:\\)", re.IGNORECASE)
_DATE = re.compile(r"^\d{4}-\d\d-\d\d|^\d{1,2}[:.]\d\d")


def redacted(text: str) -> str:
    """The text with every secret replaced by its marker; a second pass changes nothing."""
    return replaced(text, found(text))


def replaced(text: str, secrets: Iterable[Found]) -> str:
    """The text with the named places replaced."""
    parts, at = [], 0
    for start, end, kind in merged(secrets):
        parts += [text[at:start], f"[redacted: {kind}]"]
        at = end
    return "".join([*parts, text[at:]])


def found(text: str) -> list[Found]:
    """Every secret's place and kind, in order, none overlapping another."""
    return merged(
        (places[start], places[end - 1] + 1, kind)
        for read, places in readings(text)
        for start, end, kind in _found(read)
    )


def kinds(text: str) -> tuple[str, ...]:
    """The kinds of secrets a text holds, such as `("password", "github token")`.

    Each once, in the order of the text; empty where there is none.
    """
    return tuple(dict.fromkeys(kind for _, _, kind in found(text)))


def _found(text: str) -> Iterator[Found]:
    lowered = text.lower()
    for rule in (*SHAPES, *CONTEXTS, *COMMANDS):
        if not rule.signs or any(sign in lowered for sign in rule.signs):
            yield from _by(rule, text)
    for start, end, kind in placed(text, lowered):
        start, end = _bare(text, start, end)
        if not MARKER.search(text[start:end]) and is_plausible(text[start:end]):
            yield start, end, kind


def merged(places: Iterable[Found]) -> list[Found]:
    """In order, without overlaps: the earliest, of those the longest, wins and is widened."""
    kept: list[Found] = []
    for start, end, kind in sorted(places, key=lambda place: (place[0], -place[1])):
        if kept and start < kept[-1][1]:
            first, last, named = kept[-1]
            kept[-1] = (first, max(last, end), named)
        else:
            kept.append((start, end, kind))
    return kept


def _by(rule: Rule, text: str) -> Iterator[Found]:
    for match in _compiled(rule.pattern).finditer(text):
        group = "secret" if "secret" in match.re.groupindex else 0
        start, end = match.span(group)
        if start < 0 or start == end:
            continue
        start, end = _bare(text, start, end)
        value = text[start:end]
        if MARKER.search(value) or not is_plausible(value, strict=rule.strict):
            continue
        named = _whole_name(match, text)
        sign = match.groupdict().get("sign")
        if sign is not None and not _fits(named, sign, value, text, start):
            continue
        yield start, end, _kind(rule, named)


def _whole_name(match: re.Match[str], text: str) -> str:
    """What a value is assigned to, from its first letter on; empty without a name."""
    if "name" not in match.re.groupindex:
        return ""
    at = match.start("name")
    before = _NAME_BEFORE.search(text, max(0, at - 60), at)
    return (before.group() if before else "") + match["name"]


def is_plausible(value: str, *, strict: bool = True) -> bool:
    """Whether a value can be a secret at all; `strict` where only its surroundings say so."""
    if not strict:
        return "example" not in value.lower() and not re.search(r"x{8}|\*{3}|(.)\1{11}", value)
    if len(value) < 4 or _PLACEHOLDER.search(value):
        return False
    return not (_PATH.search(value) or _DATE.match(value))


def _kind(rule: Rule, name: str) -> str:
    """The rule's kind, or what the name of a value says."""
    if not name or rule.kind != "secret":
        return rule.kind
    lowered = name.lower()
    for sign, kind in (("token", "token"), ("key", "key"), ("auth", "authorization")):
        if sign in lowered:
            return kind
    return "password" if _PASS.search(name) else "secret"


def _bare(text: str, start: int, end: int) -> tuple[int, int]:
    """Without the quotes around a value, and without the punctuation after it."""
    while end > start and text[end - 1] in " \t\r\n":
        end -= 1
    for quote in ('\\"', '"', "'", "`"):
        if text.startswith(quote, start):
            start += len(quote)
            if text.endswith(quote, start, end):
                end -= len(quote)
            return start, end
    while end > start and text[end - 1] in ",;.)":
        end -= 1
    return start, end


def _fits(name: str, sign: str, value: str, text: str, start: int) -> bool:
    """Whether a value belongs to its name as a secret does."""
    if _NO_SECRET.search(name):
        return False
    if "token" in name.lower() and value.isdecimal():
        return False
    quoted = text[start - 1 : start] in ("'", '"')
    environment = name.isupper() and "=" in sign
    if sign == ">":  # the value of an element
        return _PASS.search(name) is not None or _has_strength(value)
    if " " in value:
        return quoted and _PASS.search(name) is not None and not _is_prose(value)
    if environment:
        return quoted or _DOTTED.match(value) is None
    if _has_strength(value):
        return quoted or _CODE.match(value) is None
    if quoted:
        return len(value) >= 4 and value.lower() not in name.lower()
    exact = name.lower() in ("password", "passwd", "passphrase", "secret", "pwd")
    alone = text[text.rfind("\n", 0, start) + 1 : start].lower().strip(" -\t") == f"{name.lower()}:"
    return exact and alone and len(value) >= 6 and _ends_line(text, start + len(value))


def _has_strength(value: str) -> bool:
    """A digit, or a symbol among letters: more than a word of prose or a name in code."""
    return any(character.isdigit() for character in value) or bool(
        re.search(r"[A-Za-z][!@#$%^&*+=/~-]+[A-Za-z!]|[!@#$%^&*+]$", value)
    )


def _is_prose(value: str) -> bool:
    words = value.split()
    return len(words) > 6 or any(word.lower() in _PROSE for word in words)


def _ends_line(text: str, at: int) -> bool:
    return text[at : at + 2].strip(" \r")[:1] in ("", "\n")


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_NAME_BEFORE = re.compile(r"(?:[A-Za-z][A-Za-z0-9_.-]*)?$")
_DOTTED = re.compile(r"^[A-Za-z_]+(?:[./][A-Za-z_]+)+$|^\d+(?:\.\d+)+$")
_PASS = re.compile(r"pass|pwd|kennwort|contrase|senord|wachtwoord|pin", re.IGNORECASE)
_PROSE = frozenset({
    "must", "be", "the", "is", "are", "not", "required", "enter", "at", "least", "a", "an", "for",
    "in", "of", "to", "or", "and", "with", "your", "should", "may", "can", "cannot", "has", "have",
    "been", "characters", "forgot", "reset", "again", "wrong", "incorrect",
})  # fmt: skip
_NO_SECRET = re.compile(
    r"(?:^|_|-|\.)(?:max|min|num|total|input|output|prompt|completion|cache\w*|next|page|continuation"
    r"|csrf_?param|no|has|is|use|without|forgot|reset|invalid|missing|bad|wrong)[_-]?\w*$"
    r"|(?:tokens|secrets|passwords|keys"
    r"|(?i:[_-](?:count|limit|type|url|uri|path|file|files|name|names|id|ids|length|len|size|ttl|at|expiry"
    r"|expir\w*|version|policy|field|min|max|budget|usage|reset|required|rotation|manager|store|ref"
    r"|refs?|prefix|suffix|index|arn|label|format|header|endpoint|age|class|provider|algorithm|mode"
    r"|enabled|hash|hint|env|var|regex|pattern|error|status))"
    r"|(?:Count|Limit|Type|Url|Uri|Path|File|Name|Id|Length|Size|Ttl|Policy|Field|Ref|Manager|Expiry"
    r"|ExpiresAt|Error|Status|Enabled|Required|Authentication|Provider|Index|Header|Hash)"
    r"|iz(?:er|ed|ation)\w*)$"
)
