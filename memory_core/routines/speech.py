"""Speech: what a person or an agent said in own words, sentence by sentence.

Not speech: what somebody pasted (documents, mails, quotes, code, boot files), scheduled
lines, summaries of earlier conversations, and the client's own reminders.
"""

from __future__ import annotations

import re

from memory_core.text import clean, one_line

LONGEST_PARAGRAPH = 700  # characters; a longer one is a document, not a remark
LONGEST_MESSAGE = 6_000  # of an agent's reply, beyond which it is a document
_SUMMARY = re.compile(
    r"continued from a previous conversation|the conversation is summarized|ran out of context"
    r"|conversation summary|summary of the (?:conversation|session)|compact(?:ed|ion) (?:summary"
    r"|of)"
    r"|^\W*(?:session|context) summary\b|sammendrag av samtalen|zusammenfassung des gesprächs"
    r"|会話の要約|对话摘要",
    re.IGNORECASE,
)
_SCHEDULED = re.compile(
    r"\bheartbeat\b|HEARTBEAT_OK|^\W*\[?(?:cron|scheduled|automated|timer"
    r"|system)\b[^\n]{0,40}?[\]:]"
    r"|^\W*(?:cron job|scheduled task|automatic (?:check|reminder))\b|\bNO_REPLY\b",
    re.IGNORECASE,
)
_FENCE = re.compile(r"(?ms)^[ \t]*(```+|~~~+).*?(?:^[ \t]*\1[ \t]*$|\Z)")
_TAGGED = re.compile(r"(?s)<([a-z][\w-]*)\b[^<>]*>.*?(?:</\1>|\Z)")
_HEADING = re.compile(r"(?m)^#{1,6} \S")
_LISTED = re.compile(r"(?m)^\s*(?:[-*+]|\d+[.)])\s+\S")
_QUOTED = re.compile(r"^\s*(?:>|\|)")
_MAIL = re.compile(
    r"^(?:(?:from|to|subject|date|cc|von|an|betreff|fra|til|emne)\s*:|[-_=]{3,}\s*$"
    r"|(?:dear|hello|hi) \S+,\s*$|-+ ?(?:forwarded|original) )",
    re.IGNORECASE,
)
_INTRODUCES = re.compile(r"[:：]\s*$")
_MARKER = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_ENDS = re.compile(r"([.!?]+[\"'”»)\]]*)\s+|([。！？]+[」』)]*)\s*")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|z\.b|f\.eks|bl\.a|d\.h|u\.a|s\.o|bzw|ca|kl|nr|no|vs|etc|usw|osv"
    r"|mr|mrs|ms|dr|prof|st|approx|resp|evtl|inkl|jf|dvs)$",
    re.IGNORECASE,
)
_BUT = re.compile(r",? but (?=\w+ \w+ \w)")
_INITIAL = re.compile(r"(?:^|[\s(])[A-ZÆØÅÄÖÜ]$")


def of_user(text: str) -> list[str]:
    """The sentences that a person typed; nothing for a message that is no remark."""
    if is_machine(text) or len(_HEADING.findall(text)) > 1:
        return []
    paragraphs = [part.strip() for part in re.split(r"\n\s*\n", _unwrapped(text)) if part.strip()]
    found: list[str] = []
    for paragraph in paragraphs:
        lines = paragraph.split("\n")
        if _MAIL.match(lines[0]) or _QUOTED.match(lines[0]):
            break  # what follows is somebody else's
        if len(paragraph) > LONGEST_PARAGRAPH or (
            len(lines) > 8 and len(_LISTED.findall(paragraph)) > 6
        ):
            continue
        found += [part for one in _sentences_of(lines) for part in _BUT.split(one)]
        if _INTRODUCES.search(paragraph) and len(paragraphs) > 1:
            break
    return found


def of_agent(text: str) -> list[str]:
    """The sentences of an agent's reply, without code blocks and quotes."""
    if is_machine(text) or len(text) > LONGEST_MESSAGE:
        return []
    return _sentences_of(_unwrapped(text).split("\n"))


def sentences(line: str) -> list[str]:
    """A line at its sentence ends; abbreviations and ordinals end none."""
    found, begin = [], 0
    for match in _ENDS.finditer(line):
        before, after = line[begin : match.start()], line[match.end() :]
        if match[1] == "." and _is_no_end(before, after):
            continue
        if line[: match.start()].count("`") % 2:
            continue
        found.append(line[begin : match.end()].strip())
        begin = match.end()
    return [part for part in (*found, line[begin:].strip()) if part]


def _is_no_end(before: str, after: str) -> bool:
    """Whether the full stop belongs to an abbreviation, an initial or an ordinal number."""
    if _ABBREVIATION.search(before) or _INITIAL.search(before):
        return True
    return bool(re.search(r"(?<![\d.,:])\d{1,2}$", before)) and after[:1].islower()


def is_machine(text: str) -> bool:
    """Whether a timer or a summary speaks, and no person."""
    return bool(_SUMMARY.search(text[:600]) or _SCHEDULED.search(text[:300]))


def _unwrapped(text: str) -> str:
    text = _FENCE.sub("\n", text)
    return _TAGGED.sub("", text) if re.search(r"</[a-z]|<system", text) else text


def _sentences_of(lines: list[str]) -> list[str]:
    found: list[str] = []
    for line in lines:
        if not _QUOTED.match(line) and not _HEADING.match(line):
            found += sentences(one_line(clean(_MARKER.sub("", line))))
    return found
