# ruff: noqa: E501  (a pattern is read best in one piece)
"""Secrets by where they stand: a column of a table, a Kubernetes Secret, a phrase of words.

`placed(text)` gives the place and kind of each candidate; whether its value is plausible is
left to `redaction`. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Found = tuple[int, int, str]  # start, end, kind

_HEADING = re.compile(
    r"(?:[\w-]+[ _.-])?(?:passw(?:or)?d|passphrase|pwd|pass|secret|api[ _-]?key|secret[ _-]?key"
    r"|access[ _-]?key|passord|passwort|kennwort|contraseña|mot de passe|wachtwoord|lösenord"
    r"|access[ _-]?token|api[ _-]?token|senha|пароль|パスワード|密码)",
    re.IGNORECASE,
)
_RULER = re.compile(r"^[ \t]*\|?[ \t]*:?-{2,}[-:|+ \t]*$")
_CELL = re.compile(r"(?=\S*\d)(?=\S*[^\d.,:/-])[^\s|(){}\[\]]{6,100}")
_NAMES = re.compile(r"\"?\w[\w .-]{0,60}\"?(?:[,;\t]\"?\w[\w .-]{0,60}\"?)+\r?")
_EDGES = " \t`*\"'"

_KIND_SECRET = re.compile(r"""(?m)^[ \t]*kind:\s*["']?Secret["']?\s*$|"kind"\s*:\s*"Secret\"""")
_DOCUMENT = re.compile(r"(?m)^---[ \t]*$")
_BLOCK = re.compile(
    r"(?m)^(?P<indent>[ \t]*)(?:data|stringData):[ \t]*\r?\n(?P<body>(?:(?P=indent)[ \t]+\S.*(?:\r?\n|\Z))+)"
)
_ENTRY = re.compile(r"(?m)^[ \t]+[\w.-]+:[ \t]*(?:[|>]-?[ \t]*\r?\n[ \t]+)?(\S.*?)[ \t\r]*$")
_OBJECT = re.compile(r'"(?:data|stringData)"\s*:\s*\{([^{}]{1,20000})\}')
_MEMBER = re.compile(r'"[\w.-]+"\s*:\s*"([^"\\\n]{4,})"')

_PHRASE = re.compile(
    r"(?im)(?:^|(?<=[\s\"'(]))(?P<name>(?:[\w-]{1,30}[ _-])?(?:password|passphrase|passwd|passord|passwort"
    r"|kennwort|contraseña|mot de passe|(?:seed|recovery|secret) phrase|mnemonic))[\"']?[ \t]{0,2}[:=][ \t]{0,3}"
    r"(?P<secret>[^\s:;,|<>(){}\[\]=/.]+(?: [^\s:;,|<>(){}\[\]=/.]+){1,24})[ \t]*[.!]?\r?$"
)
_PHRASE_SIGNS = ("pass", "phrase", "mnemonic", "kennwort", "contraseña")
_TALK = re.compile(
    r"(?i)\b(?:characters?|chars?|digits?|letters?|symbols?|words?|bytes?|bits?|minimum|maximum|min|max"
    r"|least|most|must|should|may|can|cannot|will|is|are|was|were|be|been|has|have|had|the|a|an|of|for|to"
    r"|in|on|at|by|from|with|and|or|not|no|see|ask|use|changed?|expire[sd]?|expiry|until|since|every|days?"
    r"|hours?|weeks?|months?|years?|minutes?|times?|room|page|line|version|step|room|required|optional|enter|reset|forgot"
    r"|wrong|incorrect|failed|attempts?|stored|saved|set|new|old|same|as|your|my|our|it|this|that|length"
    r"|siehe|zeichen|muss|ist|der|die|das|im|tegn|minst|se|er|i|på|til|fra|moins|caractères|voir|dans"
    r"|caracteres|ver|en|el|la|le|de|update[ds]?|rotat\w+|policy|tests?|hash\w*|strength|score)\b"
)


def placed(text: str, lowered: str) -> Iterator[Found]:
    """Candidates in order of their sort; `lowered` is the text in lower case."""
    if "\n" in text:
        yield from _columns(text)
    if "secret" in lowered and "kind" in lowered:
        yield from _kubernetes(text)
    if any(sign in lowered for sign in _PHRASE_SIGNS):
        yield from _phrases(text)


def _columns(text: str) -> Iterator[Found]:
    """The cells below a heading that names a secret, in a table with `|`, tabs or commas."""
    columns: list[int] = []
    mark, width, at = "", 0, 0
    lines = text.split("\n")
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if columns and line.count(mark) == width:
            yield from _cells(line, mark, columns, at)
        elif not _RULER.match(line):
            columns = []
        if not columns and (mark := _mark(line, following)):
            width = line.count(mark)
            cells = [cell.strip(_EDGES) for cell in line.split(mark)]
            columns = [place for place, cell in enumerate(cells) if _HEADING.fullmatch(cell)]
        at += len(line) + 1


def _mark(line: str, following: str) -> str:
    """What divides the columns of a heading line, or nothing where it is none."""
    if len(line) > 2000:
        return ""
    if "|" in line:
        return "|" if _RULER.match(following) else ""
    if not _NAMES.fullmatch(line):
        return ""
    marks = (mark for mark in ("\t", ",", ";") if mark in line)
    return next((mark for mark in marks if line.count(mark) == following.count(mark)), "")


def _cells(line: str, mark: str, columns: list[int], at: int) -> Iterator[Found]:
    for number, cell in enumerate(line.split(mark)):
        value = cell.strip(_EDGES + "\r")
        if number in columns and _CELL.fullmatch(value):
            start = at + cell.index(value)
            yield start, start + len(value), "password"
        at += len(cell) + len(mark)


def _kubernetes(text: str) -> Iterator[Found]:
    """Every value under `data` and `stringData` of a document whose kind is Secret."""
    ends = [match.start() for match in _DOCUMENT.finditer(text)]
    for start, end in zip([0, *ends], [*ends, len(text)], strict=True):
        if not _KIND_SECRET.search(text, start, end):
            continue
        for block in _BLOCK.finditer(text, start, end):
            for entry in _ENTRY.finditer(text, *block.span("body")):
                yield *entry.span(1), "kubernetes secret"
        for block in _OBJECT.finditer(text, start, end):
            for entry in _MEMBER.finditer(text, *block.span(1)):
                yield *entry.span(1), "kubernetes secret"


def _phrases(text: str) -> Iterator[Found]:
    """Words up to the end of a line that are a phrase to remember and not a sentence."""
    for match in _PHRASE.finditer(text):
        words = match["secret"].split(" ")
        telling = "phrase" in match["name"].lower() or match["name"].lower() == "mnemonic"
        seed = telling and len(words) >= 12 and all(word.isalpha() for word in words)
        long = telling and len(words) >= 4
        spoken = words if len(words[0]) < 6 else words[1:]  # a password, then talk about it
        digits = any(character.isdigit() for character in "".join(spoken))
        if seed or ((long or digits) and not _TALK.search(match["secret"])):
            yield *match.span("secret"), "password"
