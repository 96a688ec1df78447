"""The ontology: a TOML file of instances, and which tags match where a conversation stands.

An instance has `kind` and `id` (unique in the file), and may have `label`, `parent` (a
domain) and, for a relationship, `source` and `target`. A domain tag matches every
descendant; a relationship tag matches either endpoint. Standard library only, apart
from the search for near ids.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from memory_core.banks.memory import Tag
from memory_core.errors import SettingsError, UnknownId

_FIELDS = ("kind", "id", "label", "parent", "source", "target")
_HEADER = re.compile(r"^\s*\[\[\s*instance\s*\]\]")


@dataclass(frozen=True, slots=True)
class Instance:
    """One thing of the ontology; `line` is where the file declares it."""

    kind: str
    id: str
    label: str = ""
    parent: str = ""
    source: str = ""
    target: str = ""
    line: int = 0

    @property
    def tag(self) -> Tag:
        """The pair that names the instance."""
        return Tag(self.kind, self.id)


@dataclass(frozen=True, slots=True)
class Ontology:
    """A checked set of instances by id."""

    instances: dict[str, Instance] = field(default_factory=dict)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that occur, sorted."""
        return tuple(sorted({instance.kind for instance in self.instances.values()}))

    def check(self, tags: Iterable[Tag]) -> None:
        """Raise `UnknownId`, with the nearest three ids, for a tag that nobody declared."""
        for tag in tags:
            found = self.instances.get(tag.id)
            if found is None or found.kind != tag.kind:
                raise self._unknown(tag)

    def glossary(self, tags: Iterable[Tag]) -> str:
        """Ids and labels of tags, for the word search."""
        labels = (self.instances[tag.id].label for tag in tags if tag.id in self.instances)
        return " ".join([*(tag.id for tag in tags), *labels])

    def reach(self, tags: Iterable[Tag]) -> frozenset[Tag]:
        """Every tag that matches a conversation about `tags`.

        These are the tags themselves, the domains above them, and the relationships
        with one of those as an endpoint.
        """
        met = {line for tag in tags for line in self._lineage(tag)}
        ids = {tag.id for tag in met}
        ends = (
            instance.tag
            for instance in self.instances.values()
            if instance.kind == "relationship" and {instance.source, instance.target} & ids
        )
        return frozenset(met.union(ends))

    def _lineage(self, tag: Tag) -> Iterable[Tag]:
        yield tag
        instance = self.instances.get(tag.id)
        while instance is not None and instance.parent:
            instance = self.instances[instance.parent]
            yield instance.tag

    def _unknown(self, tag: Tag) -> UnknownId:
        if not self.instances:
            return UnknownId(
                f"tag {tag}: no ontology is configured",
                remedy="leave tags out, or name a file in the setting `ontology`",
            )
        from rapidfuzz import process

        names = [str(instance.tag) for instance in self.instances.values()]
        nearest = tuple(name for name, *_ in process.extract(str(tag), names, limit=3))
        return UnknownId(
            f"the ontology has no {tag}",
            remedy=f"use an exact ontology id; the nearest are {', '.join(nearest)}",
            nearest=nearest,
        )


def load_ontology(file: Path | None) -> Ontology:
    """Read and check an ontology; None is the empty one. Read again when the file changes.

    Raises `SettingsError` that names the file and the line.
    """
    if file is None:
        return Ontology()
    try:
        state = file.stat()
    except OSError as error:
        raise SettingsError(
            f"the ontology {file} cannot be read: {error.strerror}",
            remedy="correct the setting `ontology`",
        ) from None
    return _load(file, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=4)
def _load(file: Path, _modified: int, _size: int) -> Ontology:
    try:
        text = file.read_text("utf-8")
        entries = tomllib.loads(text).get("instance", [])
    except (ValueError, OSError) as error:
        raise _fault(file, 0, str(error)) from None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise _fault(file, 0, "`instance` must be a list of [[instance]] tables")
    starts = [at for at, line in enumerate(text.splitlines(), 1) if _HEADER.match(line)]
    lines = starts if len(starts) == len(entries) else [0] * len(entries)
    instances: dict[str, Instance] = {}
    for line, entry in zip(lines, entries, strict=True):
        instance = _instance(file, line, entry)
        if instance.id in instances:
            first = instances[instance.id].line
            raise _fault(file, line, f"{instance.id!r} is declared already in line {first}")
        instances[instance.id] = instance
    for instance in instances.values():
        _check_ends(file, instance, instances)
        _check_cycle(file, instance, instances)
    return Ontology(instances)


def _instance(file: Path, line: int, entry: dict[str, Any]) -> Instance:
    for name, value in entry.items():
        if name not in _FIELDS:
            raise _fault(file, line, f"unknown field {name!r}; known are {', '.join(_FIELDS)}")
        if not isinstance(value, str) or value != value.strip() or not value:
            raise _fault(file, line, f"{name!r} must be a text without blanks at its ends")
    for name in ("kind", "id"):
        if name not in entry:
            raise _fault(file, line, f"an instance needs a {name!r}")
    if ":" in entry["kind"]:
        raise _fault(file, line, "a kind holds no colon")
    if (entry["kind"] == "relationship") != ("source" in entry and "target" in entry):
        raise _fault(file, line, "a relationship has source and target, and nothing else has")
    return Instance(**entry, line=line)


def _check_ends(file: Path, instance: Instance, instances: dict[str, Instance]) -> None:
    for name in ("parent", "source", "target"):
        end = getattr(instance, name)
        if end and end not in instances:
            raise _fault(file, instance.line, f"{name} {end!r} of {instance.id!r} is not declared")
    if instance.parent and instances[instance.parent].kind != "domain":
        raise _fault(file, instance.line, f"parent {instance.parent!r} is not a domain")


def _check_cycle(file: Path, instance: Instance, instances: dict[str, Instance]) -> None:
    above = [instance.id]
    while parent := instances[above[-1]].parent:
        if parent in above:
            ring = " -> ".join([*above[above.index(parent) :], parent])
            raise _fault(file, instance.line, f"the parents form a cycle: {ring}")
        above.append(parent)


def _fault(file: Path, line: int, what: str) -> SettingsError:
    where = f"{file}, line {line}" if line else str(file)
    return SettingsError(f"{where}: {what}", remedy="correct the ontology file")
