"""Superseding: how a text says of a `[[link]]` that it replaces what stands there.

The cue must stand beside the link ("Replaces [[x]]", "older limit: [[x]]", "[[x]] no longer
holds"); a text that merely mentions replacing something says nothing of the kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_core.text import one_line

_LINK = re.compile(r"\[\[([^\[\]|#\n]{1,200})[^\[\]\n]*\]\]")
_BETWEEN = r"[^\[\],.;:!?]{0,40}:?\s*"
_BEFORE = re.compile(
    r"(?<![\w-])(?:supersedes?|superseding|replaces|replaced|obsoletes|overrides|instead of"
    r"|no longer|(?:older|earlier|former|previous|old|outdated|obsolete|superseded)"
    r" (?:\w+ ){0,2}?\w*|this used to be|erstatter|erstattet|i stedet for"
    r"|(?:gammel|gamle|tidligere|eldre|utdatert\w*)(?: \w+){0,2}|ersetzt|löst|statt|anstelle von"
    r"|(?:alte[rns]?|frühere[rns]?|bisherige[rns]?|veraltete[rns]?)(?: \w+){0,2}|remplace"
    rf"|reemplaza|vervangt)(?![\w-]){_BETWEEN}$|(?:置き換え|以前の?|旧|古い)[^。]{{0,12}}$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"^{_BETWEEN}(?:no longer|not any ?more"
    r"|(?:is|are) (?:obsolete|outdated|superseded|replaced|retired|wrong now|old)"
    r"|(?:does|do) not hold|gjelder ikke|er (?:utdatert|erstattet|foreldet)|gilt nicht"
    r"|ist (?:veraltet|überholt|ersetzt)|wird ersetzt)(?![\w-])"
    r"|^\s*(?:を置き換|に代わ|は(?:もう)?(?:古い|無効|廃止))",
    re.IGNORECASE,
)


def supersessions(text: str) -> Iterator[tuple[str, str]]:
    """Each linked key that the text says it replaces, with the sentence that says so."""
    for sentence in re.split(r"(?<=[.;。])\s+", one_line(text)):
        last = 0
        for match in _LINK.finditer(sentence):
            before, after = sentence[last : match.start()], sentence[match.end() :]
            if _BEFORE.search(before) or _AFTER.search(after.split("[[")[0]):
                yield match[1].strip(), sentence
            last = match.end()
