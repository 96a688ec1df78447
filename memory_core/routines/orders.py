"""Orders in what an agent looked at: a page or an output may prove a fact, not give one.

A statement whose only evidence is a tool's output or a web page must be a plain
description; one that says what such a text asks its reader to do is planted, whoever
repeated it, unless the user said it too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memory_core.routines.pieces import Piece
from memory_core.text import clean, one_line, terms

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_VERBS = (
    "always|never|do not|don't|please|remember|ignore|disregard|forget|trust|send|post|upload|run"
    "|execute|use|add|set|call|avoid|make sure|ensure|install|open|visit|fetch|download|delete"
    "|remove|disable|enable|export|copy|forward|follow|keep|put|write|store|save|treat|consider"
    "|alltid|aldri|ikke|husk|bruk|kjør|send|slett|stol|immer|nie|niemals|merke|verwende|nutze|sende"
    "|führe|lösche|vertraue|toujours|jamais|utilise|envoie|siempre|nunca|usa|envía"
)
_ORDER = re.compile(
    rf"^\W*(?:{_VERBS})\b|\b(?:you|agents?|assistants?|the agent|the assistant)\b.{{0,40}}"
    r"\b(?:must|should|shall|have to|need to|has to|are to|may now|can now)\b"
    r"|\b(?:must|should|shall) (?:always|never)\b|\bfrom now on\b|\bis (?:a )?trusted\b"
    r"|してください|必ず|请|必须|務必",
    re.IGNORECASE,
)
_PLANTED = re.compile(
    r"(?:ignore|disregard|forget|override)\b.{0,30}\b(?:previous|prior|above|earlier|all|your)\b"
    r"|\b(?:for|to|dear|attention|hey|hello|any|all)\b.{0,20}\b(?:ai|llm|language)[ -]"
    r"(?:assistants?|agents?|models?)\b|^\W*(?:assistants?|agents?|claude|gpt|chatgpt)[:,]"
    r"|system (?:notice|message|prompt|override)|note to (?:the )?(?:ai|assistant|agent)"
    r"|remember\b.{0,40}\b(?:permanently|forever|always|for later|for future|this)\b"
    r"|(?:save|store|add|write)\b.{0,30}\b(?:to|in|into) (?:your |the )?(?:long.term )?memor"
    r"|do not (?:tell|inform|mention)\b.{0,20}\buser|\bis (?:a )?trusted\b|you are now\b"
    r"|new instructions?\b|<\|im_|\[INST\]"
    r"|(?:send|post|upload|exfiltrate)\b.{0,60}\b(?:token|key|password|secret|credential)"
    r"|ignor(?:er|iere)\b.{0,30}\b(?:tidligere|alle|vorherigen)|husk (?:dette )?for alltid"
    r"|以前の指示",
    re.IGNORECASE,
)
_HOST = re.compile(r"\b[\w-]+(?:\.[\w-]+)+\b")
_SHARED = 0.6  # of a statement's terms, which a planted sentence has


def is_order(statement: str, cited: Iterable[Piece]) -> bool:
    """Whether a statement tells the agent what to do and only a tool or a page said so."""
    sources = {piece.span.source for piece in cited}
    return sources <= {"tool", "web"} and _ORDER.search(statement) is not None


def is_planted(statement: str, cited: Iterable[Piece], seen: Sequence[Piece]) -> bool:
    """Whether a statement says what some output or page among `seen` asks an agent to do."""
    if any(piece.span.source == "user" for piece in cited):
        return False
    wanted = set(terms(statement))
    hosts = set(_HOST.findall(statement))
    return any(
        len(wanted & set(terms(sentence))) >= _SHARED * len(wanted)
        or bool(hosts & set(_HOST.findall(sentence)))
        for piece in seen
        if piece.span.source in ("tool", "web")
        for sentence in planted(piece.span.output)
    )


def planted(text: str) -> list[str]:
    """The sentences of a text that speak to an agent."""
    sentences = map(one_line, _SENTENCE.split(clean(text)))
    return [sentence for sentence in sentences if _PLANTED.search(sentence)]
