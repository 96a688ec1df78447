"""The words of an item: the evidence's own sentences as one Markdown point.

Interjections at the start go ("yes, and please:"), the first letter is made a capital,
the end gets a full stop. Nothing else changes.
"""

from __future__ import annotations

import re

from memory_core.text import one_line

TITLE = 72  # characters
_OPENING = re.compile(
    r"^(?:(?:hm+|ah+|ha|oh|forget (?:what|that|it)[^,.;]{0,20})[ ,.]+|(?:no,? wait|no|yes|yep|ok"
    r"|okay"
    r"|right|good|great|fine|wait|sorry|please|and|also|so|well|hm+|ah+|ha|oh"
    r"|super|cool|nice|actually|by the way|btw|oh and|one more thing|for us|nei|ja|og|husk"
    r"|forresten"
    r"|nein|und|bitte|übrigens|also|as feared|as expected|done|found it"
    r"|rendered)(?:\s*[,.!:;]+\s*|\s+(?=please\b|and\b"
    r"|bitte\b|også\b))|(?:and|og|und|so)\s+(?=\S))",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    r"^(?:there|that|this|it|as|found|both|new|one|two"
    r"|another)(?: [^\s`:;\d]+){0,6}[:;] (?=\S{2,} )"
    r"|^det (?:\w+ ){0,3}\w+: ",
    re.IGNORECASE,
)
_DOES = re.compile(
    r"^(?:I|jeg|ich) (?!add)[^;:`]*(?:`[^`]+`)?[^;:`]*; (?=\S+ \S+ \S+)", re.IGNORECASE
)
_ADDRESSING = re.compile(r"^(?:and )?(?:please|bitte)[,:]? ", re.IGNORECASE)
_ENDS = re.compile(r"[.!?。！？…)\]»”\"`]$|[\U0001f000-\U0001ffff\u2600-\u27bf\ufe0f]$")


def point(sentences: list[str], command: str = "", lead: str = "") -> str:
    """One Markdown bullet of the sentences; `command` is shown after, `lead` before them."""
    told = [_capital(without_opening(sentence)) for sentence in sentences]
    text = " ".join(_ended(sentence) for sentence in told if sentence)
    text = re.sub(r"(?<=[。！？]) ", "", text)
    if lead:
        text = f"{_capital(lead)} {text}"
    if command:
        text = _with_command(text, command)
    return f"- {one_line(text)}"


def without_opening(sentence: str) -> str:
    """A sentence without the interjections that it opens with."""
    bare = sentence.strip()
    while match := _OPENING.match(bare):
        if len(bare) - match.end() < 12:
            break
        bare = bare[match.end() :].lstrip()
    for announced in (_ANNOUNCES, _DOES):
        bare = announced.sub("", bare, count=1)
    return _ADDRESSING.sub("", bare)


def title(text: str) -> str:
    """A short name of a point, cut at a word's end."""
    plain = one_line(re.sub(r"^[-*]\s+", "", text).replace("`", ""))
    if len(plain) <= TITLE:
        return plain.rstrip(".")
    cut = plain[: TITLE - 1]
    border = cut.rfind(" ")
    return (cut[:border] if border > TITLE // 2 else cut).rstrip(" ,;:.") + "…"


def _with_command(text: str, command: str) -> str:
    """The text with the full command in the place of its beginning, else after it."""
    for begun in re.findall(r"`([^`\n]+)`", text):
        if " " in begun and command.startswith(f"{begun} "):
            return text.replace(f"`{begun}`", f"`{command}`", 1)
    return f"{text.rstrip('.')}: `{command}`"


def _ended(sentence: str) -> str:
    if re.search(r"[\u3040-\u30ff\u4e00-\u9fff]$", sentence):
        return f"{sentence}。"
    return sentence if _ENDS.search(sentence) else f"{sentence.rstrip(',;: ')}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
