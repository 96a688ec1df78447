"""The draft of a dream: findings as items, each with what it stands on.

A revision keeps the old words and sets what is so now beside them, dated and verbatim;
nothing is taken away. Near-duplicates are told in notices with their numbers, since which
of two notes should stay is for a person to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from memory_core.banks.slug import slug
from memory_core.errors import BadInput
from memory_core.proposals.item import Evidence, Item, Kind
from memory_core.routines.draft import Draft
from memory_core.routines.dream import wording
from memory_core.routines.dream.findings import (
    Contradiction,
    Duplicates,
    Failure,
    Findings,
    Known,
    Superseded,
)
from memory_core.routines.dream.procedures import Procedure
from memory_core.routines.place import Place
from memory_core.vault.note import Note, Point, shortened

WITHOUT_MODEL = (
    "drafted without a language model: repeated commands, statements of change, notes compared"
)
MOST_EVIDENCE = 10  # quotes an item shows
_TITLE = 110  # characters
_QUOTE = 200
_KEY = 56
_VALUE = 40  # characters of a value in a title
_DUPLICATES = 12  # pairs told


def draft(findings: Findings, place: Place) -> Draft:
    """The items by falling value; one point is revised by one item only."""
    drafted = [
        *(_contradicted(one) for one in findings.contradictions),
        *(_failed(one) for one in findings.failures),
        *(_superseded(one) for one in findings.superseded),
        *_procedures(findings.procedures, place),
    ]
    items: dict[tuple[str, str], Item] = {}
    dropped = 0
    for item in sorted(drafted, key=lambda one: -one.value):
        fitting = _fitting(item, place)
        if fitting is None or (item.target, item.before) in items:
            dropped += 1
        else:
            items[item.target, item.before] = fitting
    notices = [WITHOUT_MODEL, *findings.notices, *_duplicates(findings.duplicates)]
    if dropped:
        notices.append(
            f"{dropped} more findings concern a point that another item revises or that has no room"
        )
    return Draft(tuple(items.values()), tuple(notices))


def _fitting(item: Item, place: Place) -> Item | None:
    """The item where it can be applied: its point stands once, its file has room."""
    if item.action == "add":
        return item
    note = place.note(item.target)
    if note is not None:
        return item if sum(item.before in point.text for point in note.points) == 1 else None
    if item.target != place.always_loaded or place.always_loaded_text.count(item.before) != 1:
        return None
    if len(item.after) - len(item.before) > place.room:
        return None
    kind: Kind = "always-loaded"
    return Item(item.action, kind, item.target, item.title, item.before, item.after,
                item.evidence, item.value, item.detail)  # fmt: skip


def _contradicted(found: Contradiction) -> Item:
    last = found.evidence[-1]
    told = f"“{shortened(last.quote, 80)}”"
    if len(found.old) <= _VALUE and len(found.new) <= _VALUE:
        told = f"{found.old} is now {found.new}"
    value = 3.0 + min(found.weight, 3.0) / 3 + 0.5 * (last.source == "user")
    return _revision(found.note, found.point, f"{_since(found.on)}“{last.quote}”",
                     f"no longer so: {told}", found.evidence, value)  # fmt: skip


def _failed(found: Failure) -> Item:
    instead = (
        f"; what worked: `{found.worked}`" if found.worked else "; nothing else was seen to work"
    )
    added = f"{_since(found.on)}it failed with “{found.error}”{instead}."
    title = f"`{shortened(found.command, 50)}` failed" + (
        " and has a remedy" if found.worked else ""
    )
    return _revision(
        found.note, found.point, added, title, found.evidence, 3.2 if found.worked else 2.2
    )


def _superseded(found: Superseded) -> Item:
    newer = found.newer
    added = f"{_since(newer.updated)}[[{newer.key}]] says: “{shortened(found.quote, _QUOTE)}”"
    why = "says that it replaces this" if found.linked else "is newer and has other values"
    title = f"{newer.file} {why}"
    detail = {"newer": newer.file, "quote": found.quote, "likeness": found.likeness}
    return _revision(found.older, found.point, added, title, (), 2.4 + 0.3 * found.linked, detail)


def _revision(
    note: Note,
    point: Point,
    added: str,
    title: str,
    evidence: Sequence[Evidence],
    value: float,
    detail: Mapping[str, object] | None = None,
) -> Item:
    """The point with a sentence behind it; a block of code or a table gets it below."""
    block = point.text.lstrip().startswith(("```", "~~~", "|", "    "))
    after = f"{point.text}\n\n{added}" if block else f"{point.text} {added}"
    shown = tuple(evidence)[-MOST_EVIDENCE:]
    return Item("revise", "note", note.file, shortened(title, _TITLE), point.text, after,
                shown, round(value, 2), detail or {})  # fmt: skip


def _since(day: object) -> str:
    return f"Since {day}: " if day else "Now: "


def _procedures(found: Sequence[Known], place: Place) -> Iterator[Item]:
    taken = {note.file for note in place.notes}
    for one in found:
        if one.note is None:
            item = _new_procedure(one.procedure, taken)
            taken.add(item.target)
            yield item
        elif one.missing and one.point is not None:
            yield _completed(one)


def _new_procedure(procedure: Procedure, taken: set[str]) -> Item:
    subject, count = wording.subject(procedure), len(procedure.uses)
    first, last = _days(procedure)
    body = f"# {subject[:1].upper()}{subject[1:]}\n\n"
    body += f"Done {count} times between {first} and {last}, with these steps:\n\n"
    body += "\n".join(wording.lines(procedure)) + "\n"
    key = _key(subject, taken)
    detail = {
        "key": key,
        "description": shortened(f"Steps for {subject}: " + "; ".join(_names(procedure)), 160),
        "tags": ["procedure"],
        "uses": count,
    }
    value = 2.0 + 0.25 * min(count, 8)
    title = f"a procedure used {count} times: {subject}"
    return Item("add", "note", f"{key}.md", shortened(title, _TITLE), "", body,
                _quotes(procedure), value, detail)  # fmt: skip


def _completed(found: Known) -> Item:
    """A note that tells most of a procedure, with the steps that it lacks."""
    assert found.note is not None and found.point is not None
    procedure = found.procedure
    lacking = [procedure.parts[at] for at in found.missing]
    told = "; ".join(wording.step(part, len(procedure.uses)) for part in lacking)
    added = (
        f"Also, in {min(len(part.uses) for part in lacking)} of {len(procedure.uses)} uses: {told}."
    )
    title = f"{len(lacking)} steps that are done too"
    uses = {"uses": len(procedure.uses)}
    return _revision(found.note, found.point, added, title, _quotes(procedure), 1.8, uses)


def _quotes(procedure: Procedure) -> tuple[Evidence, ...]:
    """For every use its first and its last core step; fewer where there are many uses."""
    found: list[Evidence] = []
    for use in procedure.uses[:MOST_EVIDENCE]:
        own = [step for step in use.steps for part in procedure.core if step in part.calls]
        both = [own[0], own[-1]] if len(procedure.uses) * 2 <= MOST_EVIDENCE else [own[0]]
        found += [
            Evidence(
                step.session, step.turn, "tool", step.command[:_QUOTE], step.ref, step.at, True
            )
            for step in dict.fromkeys(both)
        ]
    return tuple(found)


def _days(procedure: Procedure) -> tuple[str, str]:
    days = sorted(part.calls[0].at[:10] for part in procedure.core)
    last = max(call.at[:10] for part in procedure.core for call in part.calls)
    return days[0], last


def _names(procedure: Procedure) -> list[str]:
    return [" ".join(part.sign) for part in procedure.core]


def _key(subject: str, taken: set[str]) -> str:
    try:
        base = slug(f"procedure {subject}")[:_KEY].strip("-")
    except BadInput:
        base = "procedure"
    names = (base, *(f"{base}-{number}" for number in range(2, 100)))
    return next(name for name in names if f"{name}.md" not in taken)


def _duplicates(found: Sequence[Duplicates]) -> Iterator[str]:
    ranked = sorted(found, key=lambda one: -one.alike)
    for one in ranked[:_DUPLICATES]:
        yield (
            f"near-duplicates: {one.one.file} and {one.other.file} (points alike {one.alike:.2f},"
            f" {one.aligned:.0%} of them face one another, {one.shared} of {one.values} values"
            " in both); nothing is merged"
        )
    if len(ranked) > _DUPLICATES:
        yield f"{len(ranked) - _DUPLICATES} more pairs of near-duplicates"
