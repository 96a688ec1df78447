"""A text as its reader sees it: without colours, emphasis and the breaks inside a token.

`plain(text)` keeps every position; `readings(text)` adds the text without what does not
show, with the place in the text of each of its characters. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

Reading = tuple[str, Sequence[int]]  # the text read, the place of each of its characters

_ALIKE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_ALIKE |= str.maketrans("\u3000\u00a0﹕：∶“”„‟‘’「」『』«»", "  :::" + '"' * 4 + "''" + '"' * 6)

_UNSEEN = re.compile(
    r"(?:\x1b|\\x1b|\\e|\\u001[bB]|\\0?33|\^\[)\[[0-9;:?]*[A-Za-z]|\x9b[0-9;:?]*[A-Za-z]"
    r"|[\u00ad\u200b-\u200f\u2060\ufeff]"
    r"|\\\r?\n"
    r"|(?<![*\w])\*{1,3}(?=[\w`\"'(])|(?<=[\w:`\"'!.)])\*{1,3}(?![*\w])"
    r"|(?<!\w)_{1,2}(?=[A-Za-z])|(?<=[a-z:)])_{1,2}(?!\w)"
    r"|</?(?:b|i|u|em|strong|code|kbd|tt|samp|mark|span|font|label)(?:\s[^<>\n]{0,200})?>"
)
_UNSEEN_SIGNS = (
    "\x1b", "\\x1b", "\\e[", "\\u001", "33[", "^[[", "\x9b", "\\\n", "\\\r\n", "*", "_", "<",
    "\u00ad", "\u200b", "\u200c", "\u200d", "\u200e", "\u200f", "\u2060", "\ufeff",
)  # fmt: skip
_OPENING = (
    r"gh[pousr]_|github_pat_|sk-(?=[A-Za-z0-9])|gl(?:pat|dt|ft|rt|ptt)-|hf_|xox[abceoprs]-|xapp-"
    r"|(?:sk|rk)_(?:live|test)_|npm_|pypi-|hv[sbr]\.|eyJ|AKIA|ASIA|AIza|ya29\.|dapi|do[opr]_v1_"
    r"|sntry[su]_|glsa_|whsec_|SG\.|tskey-"
)
_BROKEN = re.compile(
    rf"(?<![A-Za-z0-9_-])(?:{_OPENING})[A-Za-z0-9_.=-]*(\r?\n[ \t]*)(?=[A-Za-z0-9])"
)
_GOES_ON = re.compile(
    rf"(?!{_OPENING}|\d{{4}}-\d\d)(?=[A-Za-z_.-]*\d)(?=[\d_.-]*[A-Za-z])[A-Za-z0-9_.-]{{4,}}=*"
    r"(?![\w(\[=:/@])"
)
_LINES = 40  # that one token may be broken into
_BREAK = re.compile(r"\r?\n[ \t]*")
_WHOLE = re.compile(r"gh[pousr]_[A-Za-z0-9]{36}$|(?:AKIA|ASIA)[A-Z0-9]{16}$|AIza[\w-]{35}$")


def plain(text: str) -> str:
    """The text with wide and typographic signs as plain ones; of the same length."""
    return text if text.isascii() else text.translate(_ALIKE)


def readings(text: str) -> Iterator[Reading]:
    """The plain text, and where something in it does not show, the text without that."""
    read = plain(text)
    yield read, range(len(read))
    gone = sorted({*_unseen(read), *_breaks(read)})
    if gone:
        yield _without(read, gone)


def _unseen(text: str) -> Iterator[tuple[int, int]]:
    if any(sign in text for sign in _UNSEEN_SIGNS):
        yield from (match.span() for match in _UNSEEN.finditer(text))


def _breaks(text: str) -> Iterator[tuple[int, int]]:
    """The line breaks inside tokens: what follows one reads like more of the same."""
    for match in _BROKEN.finditer(text) if "\n" in text else ():
        token, start, end = text[match.start() : match.start(1)], *match.span(1)
        for _ in range(_LINES):
            more = _GOES_ON.match(text, end)
            if more is None or _WHOLE.search(token):
                break
            yield start, end
            token += more.group()
            following = _BREAK.match(text, more.end())
            if following is None:
                break
            start, end = following.span()


def _without(text: str, gone: list[tuple[int, int]]) -> Reading:
    parts: list[str] = []
    places: list[int] = []
    at = 0
    for start, end in [*gone, (len(text), len(text))]:
        if start >= at:
            parts.append(text[at:start])
            places += range(at, start)
        at = max(at, end)
    return "".join(parts), places
