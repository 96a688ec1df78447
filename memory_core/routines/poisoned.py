"""Text that talks to the agent from within data: a page, an output, a pasted mail.

A piece of data that gives orders is poisoned. What an agent says with the words of such a
piece is no finding, and neither is a host or an address that stands only there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_core.routines import cues
from memory_core.routines.statements import Row, Statement, content

_ORDERS = cues.cue(
    "ignore (?:all |any |your |the )*(?:previous|prior|other|earlier|above)?\\s*instructions?"
    "|(?:system|admin\\w*) (?:notice|message|prompt|override)|(?:ai|llm) (?:assistants?|agents?"
    "|models?)"
    "|remember (?:permanently|from now on|that|this|forever)|(?:store|save|write|add"
    "|put) (?:this|that|it)"
    " (?:in|to|into) (?:your |the )?(?:long-term )?memory|long-term memory|do not tell|never tell"
    "|you (?:must|are) now|new instructions|as an ai|important instructions?|is trusted"
    "|always approve"
    "|husk permanent|ignorer (?:alle )?(?:tidligere )?instruks\\w*"
    "|ignoriere (?:alle )?(?:vorherigen|bisherigen)? ?anweisungen|merke dir dauerhaft",
    "以前の指示を無視|記憶して(?:ください|おいて)|忽略(?:之前|以上)的?指令|请记住",
)
_PIECES = re.compile(r"(?:<!--|-->|\r?\n|(?<=[.!?。])\s+)")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ADDRESS = re.compile(r"\b(?:https?://)?(?:[\w-]+\.){1,}[a-z]{2,}(?:/[\w./-]*)?|\b[\w.]+@[\w.-]+\b")
_CLOSING = re.compile(
    r"</?(?:system|tool|user|assistant|function)[\w-]*\b|^\s*(?:user|system|assistant)\s*:", re.I
)
_SHARED = 0.5
_MENTION = re.compile(
    r"\b(?:injection|poses as|pretends|hidden (?:comment|text|instruction)|addressed to (?:ai"
    r"|assistants)"
    r"|asks me to|tells me to|instructs? me|I (?:ignore|do not act on|will not follow"
    r"|do not follow))\b",
    re.IGNORECASE,
)


def pieces(rows: Sequence[Row]) -> list[str]:
    """The poisoned pieces of what tools, pages and users' pastes brought in."""
    found: list[str] = []
    for row in rows:
        data = row.span.output if row.span.name else row.span.text if row.source == "user" else ""
        if not data or not (_ORDERS.search(data) or _CLOSING.search(data)):
            continue
        if row.source == "user":
            data = "\n".join(line for line in data.split("\n") if line.lstrip().startswith(">"))
        comments = _COMMENT.findall(data)
        found += [one for one in comments if _ORDERS.search(one)]
        parts = _PIECES.split(_COMMENT.sub("\n", data))
        for at, part in enumerate(parts):
            if _ORDERS.search(part) or _CLOSING.search(part):
                found.append(" ".join(parts[at : at + 2]))
    return found


def is_poisoned(statement: Statement, poison: Sequence[str], rows: Sequence[Row]) -> bool:
    """Whether a statement passes such a piece on, or speaks of one."""
    if statement.row.source == "agent" and _MENTION.search(statement.text):
        return True
    if not poison:
        return False
    held = content(" ".join(poison))
    if statement.row.source != "user" and statement.terms:
        elsewhere = _elsewhere(poison, rows, statement)
        own = statement.terms & held
        if len(own - elsewhere) >= 2 and len(own) >= _SHARED * len(statement.terms):
            return True
    addresses = set(_ADDRESS.findall(" ".join(poison)))
    return any(address in statement.text for address in addresses)


def _elsewhere(poison: Sequence[str], rows: Sequence[Row], statement: Statement) -> set[str]:
    """The words that stand in clean data before the statement, too."""
    told: set[str] = set()
    for row in rows:
        if row.order >= statement.row.order:
            break
        text = row.span.output if row.span.name else row.span.text if row.source == "user" else ""
        for piece in poison:
            text = text.replace(piece, " ")
        told |= content(text)
    return told
