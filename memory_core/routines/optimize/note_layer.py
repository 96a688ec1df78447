"""The note layer, audited: what is double, unreached, too long, mixed, nameless or outdated.

Optimize changes nothing that a note says. Front matter, links and where a point stands are
its own; duplicates, superseded notes and ended dates are listed and handed to dream.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from memory_core.banks.slug import slug
from memory_core.errors import BadInput, Conflict, NotFound
from memory_core.proposals import making
from memory_core.proposals.item import Item
from memory_core.routines.dream import pairs
from memory_core.routines.dream.held import Held
from memory_core.routines.optimize import dates, described, links, mixed
from memory_core.routines.optimize.audited import Audited
from memory_core.routines.optimize.finding import Finding
from memory_core.routines.optimize.links import Broken
from memory_core.routines.optimize.mixed import Mixed
from memory_core.routines.optimize.vectors import Vectors
from memory_core.vault.note import Note, shortened

LONG = 6_000  # characters of a note that nobody reads whole
TOLD = 10  # findings of one sort that are told alone; more are told together
NAMED = 50  # files that a finding names at most
_QUOTE = 90


def findings(audited: Audited, vectors: Vectors) -> list[Finding]:
    """What the notes show; [] for an empty vault. Raises what `ask` raises."""
    notes = audited.place.notes
    texts = _texts(audited)
    return [
        *_pairs(audited),
        *_together(_unlinked(links.broken(notes), texts), "broken-link", "broken links"),
        *_together(_undescribed(notes, texts, vectors), "no-description", "without a description"),
        *(_mixed(one, texts, notes) for one in mixed.mixed(notes, vectors)),
        *_long(notes, texts),
        *_ended(audited),
        *_unreached(audited),
    ]


def _texts(audited: Audited) -> dict[str, str]:
    found = {}
    for note in audited.place.notes:
        try:
            found[note.file] = audited.read(note.file)
        except (NotFound, BadInput):  # gone since the notes were listed
            continue
    return found


def _pairs(audited: Audited) -> Iterator[Finding]:
    """Near-duplicates and notes that a newer one supersedes, as dream finds them."""
    notes = audited.place.notes
    superseded, duplicates, problem = pairs.compare(Held(notes), notes, audited.ask)
    for two in sorted(duplicates, key=lambda pair: -pair.alike):
        said = (
            f"{two.one.file} and {two.other.file} say nearly the same: points alike"
            f" {two.alike:.2f}, {two.aligned:.0%} of them face one another, {two.shared} of"
            f" {two.values} values in both"
        )
        numbers = {
            "alike": two.alike, "aligned": two.aligned, "shared": two.shared,
            "values": two.values,
        }  # fmt: skip
        yield _handed("duplicate", two.one.file, said, numbers, (two.other.file,), 0.5)
    for one in superseded:
        why = "says so" if one.linked else f"is newer and differs (likeness {one.likeness:.2f})"
        said = f"{one.older.file} is superseded by {one.newer.file}, which {why}"
        numbers = {"likeness": one.likeness}
        yield _handed("superseded", one.older.file, said, numbers, (one.newer.file,), 0.45)
    if problem:
        yield Finding("notes", "not-compared", "", f"notes were not compared: {problem}")


def _unlinked(broken: Iterable[Broken], texts: dict[str, str]) -> Iterator[Finding]:
    for one in broken:
        file, said = one.note.file, f"{one.note.file}: [[{one.link}]] leads nowhere"
        item = None
        if one.to:
            said += f"; [[{one.to}]] is there"
            try:
                item = making.relink(
                    file, texts.get(file, ""), one.link, one.to, value=0.4,
                    why=f"no note is called {one.link}; {one.to} differs in case, separators or"
                    " a word in front or behind",
                )  # fmt: skip
            except (Conflict, BadInput):
                said += ", but only a person can mend it"
        yield Finding("notes", "broken-link", file, said, {}, (), item, weight=0.4 if item else 0.1)


def _undescribed(
    notes: Sequence[Note], texts: dict[str, str], vectors: Vectors
) -> Iterator[Finding]:
    for note in notes:
        text = texts.get(note.file, "")
        if not text.strip() or not described.is_missing(text):
            continue
        words = described.proposed(note, text, vectors)
        said = f"{note.file} has no description"
        item = None
        if words:
            said += f"; its own words would be “{shortened(words, _QUOTE)}”"
            try:
                item = making.describe(
                    note.file, text, words, value=0.35,
                    why="a description heads every passage of its note; these are words of the"
                    " note itself",
                )  # fmt: skip
            except (Conflict, BadInput):
                said += ", but its front matter takes none as it is"
        numbers = {"points": len(note.points)}
        yield Finding("notes", "no-description", note.file, said, numbers, (), item,
                      weight=0.35 if item else 0.1)  # fmt: skip


def _mixed(found: Mixed, texts: dict[str, str], notes: Sequence[Note]) -> Finding:
    note, run = found.note, found.run
    first, last = run[0].line, run[-1].line
    said = (
        f"{note.file}: its {len(run)} points from line {first} to {last} are about something else"
        f" (nearness {found.within:.2f} among them, {found.across:.2f} to the other"
        f" {len(note.points) - len(run)}): “{shortened(run[0].plain, _QUOTE)}”"
    )
    numbers = {
        "points": len(run), "others": len(note.points) - len(run), "within": found.within,
        "across": found.across, "line": first,
    }  # fmt: skip
    item = _split(found, texts.get(note.file, ""), {one.file for one in notes})
    return Finding("notes", "mixed", note.file, said, numbers, (), item,
                   weight=0.3 if item else 0.15)  # fmt: skip


def _split(found: Mixed, text: str, taken: set[str]) -> Item | None:
    """The section as a note of its own; None where it has no heading or its name is taken."""
    block = mixed.section(found, text)
    heading = found.run[0].heading
    try:
        file = f"{slug(heading)}.md"
        if not block or file in taken:
            return None
        return making.split(
            found.note.file, text, block, file, title=heading,
            description=f"{heading}: {described.first(found.run[0].plain)}",
            tags=found.note.tags, scope=found.note.scope, value=0.3,
            why="these points are near to one another and far from the others of the note",
        )  # fmt: skip
    except (Conflict, BadInput):
        return None


def _long(notes: Sequence[Note], texts: dict[str, str]) -> Iterator[Finding]:
    for note in notes:
        size = len(texts.get(note.file, ""))
        if size > LONG:
            said = f"{note.file} is {size:,} characters long, with {len(note.points)} points"
            numbers = {"characters": size, "points": len(note.points)}
            yield Finding("notes", "long", note.file, said, numbers, weight=0.1)


def _ended(audited: Audited) -> Iterator[Finding]:
    """Dates in notes and in the always-loaded file on which something has ended."""
    place = audited.place
    told = [(note.file, point.line, point.plain) for note in place.notes for point in note.points]
    lines = enumerate(place.always_loaded_text.splitlines(), 1)
    told += [(place.always_loaded, number, line) for number, line in lines]
    for file, line, text in told:
        for day, quote in dates.ended(text, audited.today):
            ended: dict[str, float | int | str] = {"line": line, "ended": day.isoformat()}
            said = f"{file} line {line}: “{quote}” is {(audited.today - day).days} days past"
            yield _handed("ended-date", file, said, ended, (), 0.3)


def _unreached(audited: Audited) -> Iterator[Finding]:
    """Notes that no question asks for and no recall ever showed; needs both to be known."""
    if audited.shown is None or not audited.questions:
        return
    asked = {file for question in audited.questions for file in question.right}
    files = [
        note.file
        for note in audited.place.notes
        if note.file not in asked and not audited.shown.get(note.file)
    ]
    if files:
        noun = "note was" if len(files) == 1 else "notes were"
        said = f"{len(files)} {noun} reached by no question and no recall: {_listed(files)}"
        numbers = {"notes": len(files), "of": len(audited.place.notes)}
        yield Finding("notes", "unreached", files[0], said, numbers, tuple(files[1:NAMED]),
                      weight=0.1)  # fmt: skip


def _together(found: Iterable[Finding], code: str, what: str) -> Iterator[Finding]:
    """Those with a change alone, and of the others no more than can be read."""
    every = list(found)
    plain = [one for one in every if not one.item]
    yield from (one for one in every if one.item)
    if len(plain) <= TOLD:
        yield from plain
        return
    files = list(dict.fromkeys(one.where for one in plain))
    said = f"{len(plain)} {what} in {len(files)} notes: {_listed(files)}"
    yield Finding("notes", code, files[0], said, {"found": len(plain), "notes": len(files)},
                  tuple(files[1:NAMED]), weight=0.1)  # fmt: skip


def _listed(files: Sequence[str]) -> str:
    more = f" and {len(files) - 5} more" if len(files) > 5 else ""
    return ", ".join(files[:5]) + more


def _handed(
    code: str, where: str, said: str, numbers: Mapping[str, float | int | str],
    also: tuple[str, ...], weight: float,
) -> Finding:  # fmt: skip
    return Finding("notes", code, where, f"{said}; handed to dream", numbers, also,
                   handed=True, weight=weight)  # fmt: skip
