"""How a procedure reads: one numbered step a line, placeholders where uses differ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile

from memory_core.routines.dream.procedures import Part, Procedure
from memory_core.routines.dream.steps import Step
from memory_core.text import fold, one_line

LONGEST = 160  # characters of a step
_ASIDE = 3  # flags that only some uses have, shown
_WORD = re.compile(r"[^\W\d_]{4,}")
_DATE = re.compile(r"^['\"]?\d{4}-\d\d-\d\d")
_SHARED = 0.6  # of the requests that name what a procedure is for
_PLAIN_WORDS = """please again thanks first same from with this that these those what when where
    which they them then there here have need needs want would could should into like just also only
    over last week today tonight morning evening hello after before about some more most next time
    back good great hvordan vennligst takk igjen dette denne bitte danke wieder heute noch auch dann
    nach"""
_PLAIN = frozenset(_PLAIN_WORDS.split())


def lines(procedure: Procedure) -> list[str]:
    """The steps, numbered."""
    total = len(procedure.uses)
    return [f"{number}. {step(part, total)}" for number, part in enumerate(procedure.parts, 1)]


def step(part: Part, total: int) -> str:
    """One step: its template, what only some uses add, and how many uses have it."""
    template, aside = _template(part.calls)
    told = f"`{template}`"
    if aside:
        told += " (sometimes " + ", ".join(f"`{one}`" for one in aside[:_ASIDE]) + ")"
    return told if part.core else f"{told}, in {len(part.uses)} of {total} uses"


def subject(procedure: Procedure) -> str:
    """A few words on what it is for: what the requests share, then what the commands do."""
    counts: Counter[str] = Counter()
    for use in procedure.uses:
        counts.update(set(map(fold, _WORD.findall(use.request))) - _PLAIN)
    least = _SHARED * len(procedure.uses)
    asked = [word for word, count in counts.most_common() if count >= least][:3]
    first = procedure.uses[0].request
    order = {fold(word): at for at, word in reversed([*enumerate(_WORD.findall(first))])}
    asked.sort(key=lambda word: order.get(word, 99))
    done = Counter(word for part in procedure.core for word in part.sign[:2] if word[0].isalpha())
    shown = [word for word, _ in done.most_common(2)]
    return " ".join(dict.fromkeys([*asked, *shown]))


def _template(calls: Sequence[Step]) -> tuple[str, list[str]]:
    """The call with its constant parts, and the flags that fewer than half of the uses have."""
    split = [_split(call.tokens) for call in _last_of_each_use(calls)]
    heads = Counter(call.tokens[0] for call in calls)
    width = min(len(words) for words, _ in split)
    told = [heads.most_common(1)[0][0]]
    told += [_common([words[at] for words, _ in split]) for at in range(1, width)]
    if any(len(words) > width for words, _ in split):
        told.append("...")
    counts: Counter[str] = Counter(name for _, flags in split for name in flags)
    aside = []
    for name, count in sorted(counts.items(), key=lambda one: _place(one[0], split)):
        values = [flags[name] for _, flags in split if name in flags]
        gap = "" if name.endswith("=") else " "
        shown = f"{name}{gap}{_common(values, name)}" if any(values) else name
        if 2 * count > len(split):
            told.append(shown)
        else:
            aside.append(shown)
    return one_line(" ".join(told))[:LONGEST], aside


def _last_of_each_use(calls: Sequence[Step]) -> list[Step]:
    """A failed try is followed by the one that counts."""
    last = {(call.session, call.at[:13]): call for call in calls}
    return list(last.values())


def _split(tokens: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Positional words, and flags with their values."""
    words: list[str] = []
    flags: dict[str, str] = {}
    name = ""
    for token in tokens:
        if token.startswith("-") and len(token) > 1:
            name, _, value = token.partition("=")
            flags[name] = value
            name = "" if value else name
        elif name:
            flags[name], name = token, ""
        elif re.match(r"^\w+=", token) and words:
            key, _, value = token.partition("=")
            flags[f"{key}="] = value
        else:
            words.append(token)
    return words, flags


def _place(name: str, split: Sequence[tuple[list[str], dict[str, str]]]) -> float:
    places = [[*flags].index(name) for _, flags in split if name in flags]
    return sum(places) / len(places)


def _common(values: Sequence[str], name: str = "") -> str:
    """The value itself, or what all have in common around a placeholder."""
    if len(set(values)) == 1:
        return values[0]
    before = re.sub(r"[^\W_]+$", "", _prefix(values))
    before = re.sub(r"(?<![^\W\d_])\d[\d.:-]*$", "", before)  # a part of a number or of a date
    after = re.sub(r"^[^\W_]+", "", _prefix([value[::-1] for value in values])[::-1])
    after = re.sub(r"^[\d.:-]*\d(?![^\W\d_])", "", after)
    shortest = min(map(len, values))
    if len(before) + len(after) >= shortest:
        after = ""
    inner = {value[len(before) : len(value) - len(after)] for value in values}
    word = name.strip("-=") if len(name) > 2 else _kind(inner)
    return f"{before}<{word}>{after}"


def _prefix(values: Sequence[str]) -> str:
    same = takewhile(lambda column: len(set(column)) == 1, zip(*values, strict=False))
    return "".join(column[0] for column in same)


def _kind(values: set[str]) -> str:
    if all(_DATE.match(value) for value in values):
        return "date"
    return "number" if all(value.isdigit() for value in values) else "name"
