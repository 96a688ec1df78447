"""A memory: three capped strings, and where they apply.

A `Draft` is what a writer hands in, cleaned and checked when it is made; a `Memory`
is what a bank holds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from memory_core.banks.bank import BankId
from memory_core.banks.caps import LOCATOR, LOCATORS, Caps, check_length
from memory_core.banks.slug import slug
from memory_core.errors import BadInput, FieldTooLong
from memory_core.redaction import kinds
from memory_core.text import clean, one_line

_LINK = re.compile(r"\[\[([^\[\]\n]{1,200})\]\]")
_OVERSIZE = 20_000  # characters above which a field is refused before it is cleaned


@dataclass(frozen=True, slots=True, order=True)
class EntityRef:
    """A concrete thing a memory is about: `project:P`, `item:42`."""

    type: str
    id: str

    def __str__(self) -> str:
        return f"{self.type}:{self.id}"


@dataclass(frozen=True, slots=True, order=True)
class Tag:
    """An ontology instance a memory is about: `domain:billing`."""

    kind: str
    id: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"


@dataclass(frozen=True, slots=True)
class Draft:
    """A memory as handed in; `refs` or `tags` None keeps what the key had before."""

    key: str
    description: str
    content: str
    refs: tuple[EntityRef, ...] | None = None
    tags: tuple[Tag, ...] | None = None


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory in its bank.

    `version` is the number of the ledger entry that wrote it. `updated_at` moves when
    the memory is rewritten, never when it is read.
    """

    bank: BankId
    key: str
    description: str
    content: str
    refs: tuple[EntityRef, ...]
    tags: tuple[Tag, ...]
    version: int
    created_at: datetime
    updated_at: datetime

    @property
    def id(self) -> str:
        """`<bank id>:<key>`."""
        return f"{self.bank}:{self.key}"

    @property
    def links(self) -> tuple[str, ...]:
        """The keys that the content links as `[[key]]`, in order, without repetitions."""
        return linked(self.content)


def linked(text: str) -> tuple[str, ...]:
    """The keys that a text links as `[[key]]`, in order, without repetitions."""
    found = (match for match in _LINK.findall(text) if any(map(str.isalnum, match)))
    return tuple(dict.fromkeys(map(slug, found)))


def clean_draft(draft: Draft, caps: Caps) -> Draft:
    """The draft with its key as a slug and its texts cleaned.

    Raises `BadInput` for an empty field or one that holds a secret, and `FieldTooLong`
    for an overlong one; nothing is cut.
    """
    key = clean_key(draft.key, caps.key)
    _refuse_oversize("description", draft.description, caps.description)
    _refuse_oversize("content", draft.content, caps.content)
    description, content = one_line(clean(draft.description)), clean(draft.content).strip()
    for field, text in (("description", description), ("content", content)):
        if not text:
            raise BadInput(f"the {field} is empty", remedy=f"write a {field}")
    check_length("description", description, caps.description, escaped=True)
    check_length("content", content, caps.content)
    for field, text in (("key", draft.key), ("description", description), ("content", content)):
        _refuse_secrets(field, text)
    refs = None if draft.refs is None else _refs(draft.refs)
    tags = None if draft.tags is None else _tags(draft.tags)
    return Draft(key, description, content, refs, tags)


def clean_key(text: str, cap: int) -> str:
    """The key as a slug.

    Raises `BadInput` when nothing is left and `FieldTooLong` above the cap.
    """
    _refuse_oversize("key", text, cap)
    key = slug(text)
    check_length("key", key, cap)
    return key


def _refuse_oversize(field: str, text: str, cap: int) -> None:
    if len(text) > _OVERSIZE:
        raise FieldTooLong(field, len(text), cap)


def _refuse_secrets(field: str, text: str) -> None:
    if held := kinds(text):
        raise BadInput(
            f"the {field} holds what looks like a secret ({', '.join(held)})",
            remedy="leave the secret out and write down where it is kept",
        )


def _refs(refs: tuple[EntityRef, ...]) -> tuple[EntityRef, ...]:
    pairs = {(_locator("reference", ref.type), _locator("reference", ref.id)) for ref in refs}
    return tuple(sorted(EntityRef(*pair) for pair in _few("references", pairs)))


def _tags(tags: tuple[Tag, ...]) -> tuple[Tag, ...]:
    pairs = {(_locator("tag", tag.kind), _locator("tag", tag.id)) for tag in tags}
    return tuple(sorted(Tag(*pair) for pair in _few("tags", pairs)))


def _few(what: str, pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    if len(pairs) > LOCATORS:
        raise BadInput(f"{len(pairs)} {what}, at most {LOCATORS} fit", remedy="name fewer")
    return pairs


def _locator(what: str, text: str) -> str:
    check_length(f"{what} id", text, LOCATOR)
    if not (cleaned := one_line(clean(text))):
        raise BadInput(f"a {what} is empty", remedy="give both its type and its id")
    return cleaned
