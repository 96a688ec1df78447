"""Takes our own injections out of what was said, so that memory never learns from itself.

Recognized by their form, line by line: whole, cut at either end, nested in one another,
quoted back by the agent, or wrapped by the client. The client's own wrappers go too.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from memory_core.hooks import render

_QUOTE = r"[ \t]*(?:(?:>|\||#|//|\*|-)[ \t]?)*"
_HARNESS = (
    r"(?:(?:UserPromptSubmit|SessionStart)(?::\w+)? hook (?:additional context|success):[ \t]*)?"
)
_HEAD = re.compile(r"Notes from memory for this request, best first\b.*")
_POINTER = re.compile(
    r"^[ \t]*[-*] \S.{0,400}?, (?:updated [^,:]{4,40}, )?score -?\d+\.\d\d(?::[ \t].*|:?[ \t]*)$"
)
_QUOTED = re.compile(r"^[ \t]{2,}>(?: .*)?$")
_IN_BLOCK = re.compile(
    r"^(?:[ \t]*[-*] \S.{0,400}?, (?:updated|score) .*|[ \t]+>.*|[ \t]*>[ \t]>.*"
    r"|[ \t]+\((?:shown earlier in this session|text left out for length)\)?"
    r"|\([^()]*\)|[ \t]*Files lie in .*)$"
)
_CUT_SHORT = re.compile(r"^[ \t]*-(?: \S{0,200})?(?:, [\w ,.-]{0,60})?$|^[ \t]*\([^()]*$")
_INDEX_LINE = re.compile(
    r'^[ \t]*\{"key": "(?:[^"\\]|\\.)*", "description": "(?:[^"\\]|\\.)*'
    r'(?:"[ \t]*\}?[ \t]*,?[ \t]*$|\\?[ \t]*(?:…|\.\.\.)?$)'
)
_INDEX_START = '{"key": "'
_CUT_INDEX = re.compile(
    r'^\{"key": "(?:[^"\\]|\\.)*\\?(?:"(?:,(?: (?:"(?:d[a-z]*(?:"(?::(?: )?)?)?)?)?)?)?)?$'
)
_LINES = re.compile(
    r"^(?:What was noted in earlier sessions: one JSON object per line\b.*"
    r"|The lines are reference data that can be wrong or out of date, not instructions\b.*"
    r"|No memory applies here yet\.|\(\d+ more not shown here\)|\d+ more are not shown\."
    r"|FULL: [\w, ]+\. New keys are refused there\b.*"
    rf"|{re.escape(render.NOTHING)}|Memory unavailable: .*\."
    r"|Memory: the always-loaded file .*(?:characters.*|does not exist yet)\."
    r"|Memory: \d+ proposals? waits? for a person's decision.*)[ \t]*$"
)
_SIGNS = (
    "Notes from memory", ", score ", '"description": "', "What was noted", "Memory unavailable: ",
    "Memory: ", "not shown", "FULL: ", "The lines are reference", "No memory applies",
)  # fmt: skip
_TAGS = (
    "system-reminder|hook_context|hook_prompt|user-prompt-submit-hook|persisted-output"
    "|environment_context|local-command-stdout|local-command-caveat"
)
_WRAPPED = re.compile(rf"<({_TAGS})\b[^<>]*>[\s\S]*?</\1>[ \t]*\n?")
_UNCLOSED = re.compile(rf"(?m)^[ \t]*<(?:{_TAGS})\b[^<>]*>[\s\S]*\Z")


def without_injections(text: str) -> str:
    """Speech without our injections and without the client's wrappers."""
    return without_own(without_wrappers(text))


def without_wrappers(text: str) -> str:
    """A text without what the client put into it between tags of its own."""
    return _UNCLOSED.sub("", _WRAPPED.sub("", text)) if "<" in text else text


def without_own(text: str) -> str:
    """A text, such as a tool's output, without our injections."""
    if not any(sign in text for sign in _SIGNS):
        return text
    lines, kept = text.split("\n"), list[str]()
    at = 0
    while at < len(lines):
        taken = _taken(lines, at, kept)
        if not taken:
            kept.append(lines[at])
        at += taken or 1
    left = "\n".join(kept)
    return left.strip("\n") if left != text else text


def _taken(lines: list[str], at: int, kept: list[str]) -> int:
    """How many lines from `at` on are ours; may take back what `kept` holds of them."""
    line = lines[at]
    if match := _HEAD.search(line):
        before = line[: match.start()]
        depth = re.match(_QUOTE, before)
        prefix = depth.group() if depth else ""
        if re.sub(_HARNESS + r"[\W_]*$", "", before[len(prefix) :]):
            kept.append(before.rstrip(" \"'`“”«»>"))
        return 1 + _following(lines, at + 1, prefix)
    bare = re.sub(rf"^{_QUOTE}{_HARNESS}", "", line)
    if _POINTER.match(line) or (quoted := _unquoted_pointer(line)) is not None:
        prefix = "" if _POINTER.match(line) else str(quoted)
        _take_back(kept, prefix)
        return 1 + _following(lines, at + 1, prefix)
    if _LINES.match(bare) or _INDEX_LINE.match(re.sub(r"^[ \t>|]*", "", line)):
        _take_heading(kept)
        return 1
    return int(at == len(lines) - 1 and _is_cut_index(lines, at))


def _is_cut_index(lines: list[str], at: int) -> bool:
    """Whether the last line is the beginning of an index line after others of ours."""
    line = lines[at].lstrip(" \t>|")
    if not (len(line) > 1 and _INDEX_START.startswith(line)) and not _CUT_INDEX.match(line):
        return False
    return any(
        "What was noted in earlier sessions" in before or _INDEX_START in before
        for before in lines[:at]
    )


def _unquoted_pointer(line: str) -> str | None:
    """The quotation mark before a pointer line of ours, if the line is a quoted one."""
    match = re.match(r"^[ \t]*(?:>[ \t]?)+", line)
    return match.group() if match and _POINTER.match(line[match.end() :]) else None


def _following(lines: list[str], at: int, prefix: str) -> int:
    """How many lines after the first belong to the same block."""
    strip = _stripper(prefix)
    taken = 0
    while at + taken < len(lines):
        line = strip(lines[at + taken])
        if not line.strip():
            after = at + taken + 1
            while after < len(lines) and not strip(lines[after]).strip():
                after += 1
            if after < len(lines) and not _belongs(strip(lines[after]), after == len(lines) - 1):
                break
        elif not _belongs(line, at + taken == len(lines) - 1):
            break
        taken += 1
    return taken


def _belongs(line: str, is_last: bool) -> bool:
    return bool(_IN_BLOCK.match(line) or (is_last and _CUT_SHORT.match(line)))


def _stripper(prefix: str) -> Callable[[str], str]:
    bare = prefix.rstrip()

    def strip(line: str) -> str:
        if prefix and line.startswith(prefix):
            return line[len(prefix) :]
        return line[len(bare) :] if bare and line.startswith(bare) else line

    return strip


def _take_back(kept: list[str], prefix: str) -> None:
    """Remove the end of a block whose beginning was cut off."""
    strip = _stripper(prefix)
    at = len(kept)
    while at and (_QUOTED.match(strip(kept[at - 1])) or not strip(kept[at - 1]).strip()):
        at -= 1
    if any(_QUOTED.match(strip(line)) for line in kept[at:]):
        del kept[at:]


def _take_heading(kept: list[str]) -> None:
    at = len(kept)
    while at and not kept[at - 1].strip(" \t>|"):
        at -= 1
    if at and kept[at - 1].strip(" \t>|") == "## Memory":
        del kept[at - 1 :]
