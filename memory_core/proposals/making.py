"""The changes that an audit of memory offers, each as an item whose title a person reads.

Every constructor takes the text that it changes as it is now, so that what it quotes is
verbatim, and the keywords of `Told`. None writes anything: `queue.offer` takes the items.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any, TypedDict, Unpack

from memory_core.errors import BadInput
from memory_core.proposals import edit, field, link, question_lines
from memory_core.proposals.item import Action, Evidence, Item, Kind
from memory_core.text import clean, one_line
from memory_core.vault.note import DESCRIPTION, shortened
from memory_core.vault.question import WORKING_SET, Question, checked, line_of

_SHOWN = 60  # characters of a text in a title


class Told(TypedDict, total=False):
    """What every constructor takes besides.

    `title` replaces the one that is made; `why` (a line) and `effect` (a line, such as
    "+0.4 points of hit@3") are shown with the item; `value` ranks it.
    """

    title: str
    why: str
    effect: str
    value: float
    evidence: Sequence[Evidence]


def drop_line(file: str, line: str, *, kind: Kind = "always-loaded", **told: Unpack[Told]) -> Item:
    """Take one verbatim line, or several that follow each other, out of a file."""
    return _item("drop", kind, file, f"drop “{_short(line)}”", told, before=line)


def move_line(
    file: str, line: str, to: str, *, heading: str = "", kind: Kind = "always-loaded",
    **told: Unpack[Told],
) -> Item:  # fmt: skip
    """Move one verbatim line to another note, below a heading of it or at its end.

    Questions of the working set whose answering point moves along follow, in the same change.
    """
    detail = {"to": to, **({"heading": heading} if heading else {})}
    title = f"move “{_short(line)}” to {to}"
    return _item("move", kind, file, title, told, before=line, detail=detail)


def describe(file: str, text: str, description: str, **told: Unpack[Told]) -> Item:
    """Set the description in the front matter of a note whose whole text is `text`.

    It becomes one line of at most 200 characters. Raises `BadInput` for an empty one, and
    `Conflict` where the front matter cannot carry it.
    """
    wanted = shortened(one_line(clean(description)), DESCRIPTION)
    return _field(file, text, "description", wanted, f"describe it as “{_short(wanted)}”", told)


def tag(file: str, text: str, tags: Sequence[str], **told: Unpack[Told]) -> Item:
    """Set the tags in the front matter of a note; raises as `describe`."""
    wanted = [one_line(clean(one)) for one in tags]
    return _field(file, text, "tags", wanted, f"tag it {', '.join(wanted)}", told)


def relink(file: str, text: str, old: str, new: str, **told: Unpack[Told]) -> Item:
    """Let every `[[old]]` of a note lead to `new`: one item, however often the link stands there.

    What stands behind the name (`|shown`, `#part`) and links in code stay. Raises `Conflict`
    where no link leads to `old`, `BadInput` for a name that no link can have.
    """
    if not (link.is_name(old) and link.is_name(new)):
        raise BadInput(f"[[{old}]] and [[{new}]] are no two links", remedy="name notes")
    before, after = link.lines(text, old, new)
    detail = {"link": {"from": old, "to": new}}
    title = f"let [[{old}]] lead to [[{new}]]"
    return _item("revise", "note", file, title, told, before=before, after=after, detail=detail)


def split(
    file: str, text: str, block: str, to: str, *, title: str, description: str,
    tags: Sequence[str] = (), scope: Sequence[str] = (), questions: str = "",
    why: str = "", effect: str = "", value: float = 0.0, evidence: Sequence[Evidence] = (),
) -> Item:  # fmt: skip
    """Move a contiguous verbatim block of whole points, a heading too, to the new note `to`.

    `title` is the new note's first heading (left out where the block brings it), the others
    its front matter; it takes over the date of the old one. No link is set between the two.
    `questions` is the working set's text, to name those that follow: they do in the same
    change, also when they were added after the item was made. Raises `Conflict` unless the
    block stands in `text` exactly once.
    """
    start, end = edit.found(text, block)
    detail: dict[str, Any] = {"to": to, "title": title, "description": description}
    detail |= {name: list(one) for name, one in (("tags", tags), ("scope", scope)) if one}
    left = edit.dropped(text, block)
    if follow := question_lines.followed(questions, file, to, left, text[start:end])[1]:
        detail["follow"] = follow
    name = PurePosixPath(to).name
    told: Told = {"why": why, "effect": effect, "value": value, "evidence": evidence}
    title = f"give “{_short(title)}” a note of its own, {name}"
    return _item("move", "note", file, title, told, before=text[start:end], detail=detail)


def add_question(
    query: str, note: str | None, answer_point: str | None, kind: str, *, id: str = "",
    **told: Unpack[Told],
) -> Item:  # fmt: skip
    """Add a question to the working set, which is made when absent; `note` None = nonsense.

    Without an id it gets one that is made from its words, so that no other question ever
    has it. Raises `BadInput` for a field that does not hold.
    """
    query = clean(query).strip()
    mark = hashlib.sha256(one_line(query).casefold().encode()).hexdigest()[:8]
    question = checked(Question(id or f"q{mark}", query, note, answer_point, kind))
    line = line_of(question)
    return _question("add", f"ask “{_short(query)}”", told, after=line)


def retire_question(line: str, **told: Unpack[Told]) -> Item:
    """Take a question out of the working set; `line` is verbatim, see `question_line`."""
    return _question("drop", f"retire {question_lines.brief(line)}", told, before=line)


def rekind_question(line: str, kind: str, **told: Unpack[Told]) -> Item:
    """Count a question as of another kind. Raises `BadInput` for one that does not fit it."""
    after = question_lines.with_fields(line, kind=kind)
    title = f"{question_lines.checked(after).id} is of the kind {kind}"
    return _question("revise", title, told, before=line, after=after)


def revise_question(line: str, **told_and_fields: Any) -> Item:
    """Set `note`, `answer_point`, `query` or `kind` of a question, its id stays.

    Takes the keywords of `Told` too. Raises `BadInput` for a field that does not hold.
    """
    names = ("note", "answer_point", "query", "kind")
    values = {name: told_and_fields.pop(name) for name in names if name in told_and_fields}
    told: Told = told_and_fields  # type: ignore[assignment]
    after = question_lines.with_fields(line, **values)
    title = f"{question_lines.checked(after).id}: another {' and '.join(values)}"
    return _question("revise", title, told, before=line, after=after)


def question_line(working_set: str, id: str) -> str:
    """The verbatim line of a question in the text of the working set. Raises `BadInput`."""
    return question_lines.line_of(working_set, id)


def _field(file: str, text: str, name: str, value: field.Value, title: str, told: Told) -> Item:
    before = field.entry(text, name)
    after = field.line(name, value, like=before)
    field.changed(text, name, before, after)
    action: Action = "revise" if before else "add"
    detail = {"field": name}
    return _item(action, "note", file, title, told, before=before, after=after, detail=detail)


def _question(action: Action, title: str, told: Told, *, before: str = "", after: str = "") -> Item:
    return _item(action, "question", WORKING_SET, title, told, before=before, after=after)


def _item(
    action: Action, kind: Kind, target: str, title: str, told: Told, *, before: str = "",
    after: str = "", detail: dict[str, Any] | None = None,
) -> Item:  # fmt: skip
    said = {"reason": told.get("why"), "effect": told.get("effect")}
    return Item(
        action, kind, target, told.get("title") or title, before, after,
        tuple(told.get("evidence", ())), told.get("value", 0.0),
        {**(detail or {}), **{name: one for name, one in said.items() if one}},
    )  # fmt: skip


def _short(text: str) -> str:
    return shortened(one_line(text).lstrip("-*+ "), _SHOWN)
