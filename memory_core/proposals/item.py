"""An item: one change that a routine offers, with the evidence for it.

Items are values; what is numbered and stored is made from them by `queue.offer`. An item
of a note changes one verbatim piece of the file: `before` occurs exactly once in it.

| action | a note or the always-loaded file | a question | a memory |
| --- | --- | --- | --- |
| add | `after` becomes the last point; a file that is not there gets it as its whole text | a line more | a new key |
| revise | `before` is replaced by `after` | the line is rewritten, its id stays | the key is rewritten |
| drop | `before` goes | the line goes | the key is forgotten |
| move | `before` goes from `target` to `detail["to"]`, verbatim | | the key moves to bank `detail["to"]` |
| merge | | | `target` is rewritten, `detail["merges"]` are forgotten |

A question's target is the working set of the benchmark, no other set; `before` and `after` are
its lines of JSON. A memory's `after` is its content; `detail` holds `description`, `refs`, `tags`.

What else the detail of a note's item may say:
- `field`: an add or revise of that field of the front matter, `before` and `after` its YAML;
- `link` `{from, to}`: a revise of every `[[from]]`; `before` and `after` are the lines with one;
- `title`: a move splits the note: `detail["to"]` is new and has this heading, and the front matter
  that `description`, `tags` and `scope` give.
Questions of the working set follow what is moved out of their note. `making` builds these.
"""  # noqa: E501

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from memory_core.errors import BadInput
from memory_core.text import clean, one_line, terms, without_surrogates
from memory_core.vault.question import fields

Action = Literal["add", "revise", "merge", "move", "drop"]
Kind = Literal["note", "always-loaded", "memory", "question"]
Source = Literal["user", "agent", "tool", "web", "file"]
TRUST: tuple[Source, ...] = ("web", "tool", "file", "agent", "user")  # the least trusted first


@dataclass(frozen=True, slots=True)
class Evidence:
    """A quote of the record. `turn` counts exchanges; `ref` is the transcript's own name of it.

    Of a `file`, `session` is its name and `turn` a line, 0 where it has none. Of a tool,
    `input` says that the quote is what the agent called it with, not what it gave back.
    """

    session: str
    turn: int
    source: Source
    quote: str
    ref: str = ""
    at: str = ""  # ISO 8601
    input: bool = False

    def as_json(self) -> dict[str, Any]:
        """As it is stored."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Item:
    """A change before it has a number. `value` ranks it: how much it is worth to have."""

    action: Action
    kind: Kind
    target: str  # a note's file relative to the vault, or a memory's id
    title: str
    before: str = ""
    after: str = ""
    evidence: tuple[Evidence, ...] = ()
    value: float = 0.0
    detail: Mapping[str, Any] = field(default_factory=dict)

    @property
    def provenance(self) -> str:
        """The least trusted source that the evidence needs; "" without evidence."""
        found = {piece.source for piece in self.evidence}
        return next((source for source in TRUST if source in found), "")

    @property
    def fingerprint(self) -> str:
        """Target and meaning: the same for the same words in another order or case."""
        told = " ".join(sorted(set(meaning(gist(self)))))
        text = without_surrogates(f"{sort(self.action)}\n{self.target}\n{told}")
        return hashlib.sha256(text.encode()).hexdigest()[:32]


def sort(action: str) -> str:
    """What an action is for: to `drop`, to `move`, or to `keep` a text."""
    return action if action in ("drop", "move") else "keep"


def gist(item: Any) -> str:
    """The text that tells what an item, stored or not, is about.

    Of a question that is asked anew it is the query and the note, of another its id and what
    becomes of it, of a link its two ends: what else the lines hold makes no two alike.
    """
    if link := item.detail.get("link"):
        return f"{link['from']} {link['to']}"
    if item.kind != "question":
        return str(item.after or item.before)
    try:
        row = fields(item.after or item.before)
    except BadInput:
        return str(item.after or item.before)
    names = {"add": ("query", "note"), "drop": ("id",)}
    told = names.get(item.action, ("id", "kind", "note", "answer_point", "query"))
    return " ".join(str(row.get(name) or "") for name in told)


def meaning(text: str) -> list[str]:
    """The words that carry a text's meaning, as both legs of recall see them."""
    return list(terms(one_line(clean(text))))
