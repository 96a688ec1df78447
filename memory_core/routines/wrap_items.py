"""From findings to items: which file or bank each goes to, and how it reads there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from memory_core.banks.bank import bank_id
from memory_core.banks.slug import slug
from memory_core.errors import BadInput
from memory_core.proposals.item import Evidence, Item
from memory_core.routines.findings import Finding
from memory_core.routines.place import Place
from memory_core.routines.wrap_reply import ALWAYS, NEW
from memory_core.text import clean, one_line
from memory_core.vault.note import shortened

TITLE = 90  # characters
_TRUST = {"user": 1.0, "agent": 0.85, "tool": 0.7, "web": 0.5}


def items(findings: Sequence[Finding], place: Place) -> tuple[list[Item], list[str]]:
    """An item a finding, those of one new note together; and notices about their places."""
    if not place.has_vault:
        return [_memory(finding, place) for finding in findings], []
    made: list[Item] = []
    fresh: dict[str, list[Finding]] = {}
    room, crowded = place.room, 0
    for finding in findings:
        file = _file(finding, place)
        if file == place.always_loaded:
            need = len(_point(finding)) + 1
            if need <= room and _is_rule(finding):
                room -= need
                made.append(_always(finding, place))
                continue
            crowded += need > room
            file = _new_file(finding, place)
        if place.note(file):
            made.append(_to_note(finding, file))
        else:
            fresh.setdefault(file, []).append(finding)
    made += [_new_note(file, own, place) for file, own in fresh.items()]
    notices = []
    if crowded:
        notices.append(f"{place.always_loaded} has no room: {crowded} rule(s) went to a note")
    return sorted(made, key=lambda item: -item.value), notices


def _file(finding: Finding, place: Place) -> str:
    """Where a finding goes: a file that is there, the always-loaded file, or a new one."""
    wanted = finding.fact.goes_to.strip()
    if wanted in (ALWAYS, place.always_loaded):
        return place.always_loaded
    if wanted != NEW and (place.note(wanted) or place.note(f"{wanted}.md")):
        return wanted if place.note(wanted) else f"{wanted}.md"
    return _new_file(finding, place)


def _new_file(finding: Finding, place: Place) -> str:
    """The file of a new note by the name that the model gave, or by the statement's words."""
    wanted = finding.fact.goes_to if finding.fact.goes_to not in (ALWAYS, NEW) else ""
    for name in (finding.fact.note, PurePosixPath(wanted).stem, finding.statement):
        try:
            file = f"{slug(' '.join((name or '').removesuffix('.md').split()[:6]))[:60]}.md"
        except BadInput:
            continue
        return file if file != place.always_loaded.casefold() else f"note-{file}"
    return "note.md"


def _is_rule(finding: Finding) -> bool:
    """Only what the user said goes where every session reads it."""
    return any(piece.span.source == "user" for piece in finding.cited)


def _to_note(finding: Finding, file: str) -> Item:
    if finding.point and finding.note and finding.note.file == file:
        marker = finding.point.text[: len(finding.point.text) - len(finding.point.plain)]
        return Item(
            "revise", "note", file, _title(finding), before=finding.point.text,
            after=f"{marker}{finding.statement}", evidence=_evidence([finding]),
            value=_value([finding]),
        )  # fmt: skip
    return Item(
        "add", "note", file, _title(finding), after=_point(finding),
        evidence=_evidence([finding]), value=_value([finding]),
    )  # fmt: skip


def _new_note(file: str, own: Sequence[Finding], place: Place) -> Item:
    told = next((one.fact.description for one in own if one.fact.description), None)
    detail = {
        "key": PurePosixPath(file).stem,
        "description": shortened(one_line(clean(told or own[0].statement)), 160),
        "scope": [f"project:{place.scope}"] if place.scope else [],
    }
    return Item(
        "add", "note", file, _title(own[0]), after="\n".join(map(_point, own)) + "\n",
        evidence=_evidence(own), value=_value(own),
        detail=detail,
    )  # fmt: skip


def _always(finding: Finding, place: Place) -> Item:
    return Item(
        "add", "always-loaded", place.always_loaded, _title(finding), after=_point(finding),
        evidence=_evidence([finding]), value=_value([finding]),
    )  # fmt: skip


def _memory(finding: Finding, place: Place) -> Item:
    """A memory of the user in this scope; a rule for every session in the user's own bank."""
    everywhere = finding.fact.goes_to == ALWAYS and _is_rule(finding)
    bank = bank_id("global" if everywhere else "private", place.user, place.scope)
    key = _new_file(finding, place).removesuffix(".md")
    told = one_line(clean(finding.fact.description or finding.statement))
    return Item(
        "add", "memory", f"{bank}:{key}", _title(finding), after=finding.statement,
        evidence=_evidence([finding]), value=_value([finding]),
        detail={"description": shortened(told, 160), "refs": [], "tags": []},
    )  # fmt: skip


def _point(finding: Finding) -> str:
    return f"- {finding.statement}"


def _title(finding: Finding) -> str:
    return shortened(finding.statement, TITLE)


def _evidence(own: Sequence[Finding]) -> tuple[Evidence, ...]:
    pairs = [(piece, one.statement) for one in own for piece in one.cited]
    found = {piece.number: piece.evidence(statement) for piece, statement in reversed(pairs)}
    return tuple(found[number] for number in sorted(found))


def _value(own: Sequence[Finding]) -> float:
    """The model's worth, 0..1, less where nobody who can be trusted said it."""
    return round(
        max(
            one.fact.worth / 5 * max(_TRUST[piece.span.source] for piece in one.cited)
            for one in own
        ),
        3,
    )
