"""The always-loaded file, audited: it costs its size at every start, so each line has to pay.

Lines said twice and details of one subject can go; a rule that a note holds as well is only
told, since which of the two should stay is for a person to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memory_core.proposals import making
from memory_core.proposals.item import Evidence
from memory_core.routines.optimize import unused
from memory_core.routines.optimize.audited import Audited
from memory_core.routines.optimize.belonging import Belongs, Homes
from memory_core.routines.optimize.finding import Finding
from memory_core.routines.optimize.lines import Line, read, stems
from memory_core.routines.optimize.repeated import Repeated, repeated
from memory_core.routines.optimize.vectors import Vectors
from memory_core.vault.note import shortened
from memory_core.vault.passages import weight

FULL = 0.9  # share of the cap from which there is hardly room for a further line
_QUOTE = 90  # characters


def findings(audited: Audited, vectors: Vectors) -> list[Finding]:
    """What the always-loaded file shows; [] where there is none. Raises what `ask` raises."""
    place = audited.place
    if not place.always_loaded_text.strip():
        return []
    lines = read(place.always_loaded_text)
    homes = Homes(place.notes, audited.read, vectors)
    twice = repeated(lines, vectors)
    found = [_size(audited), *(_repeats(place.always_loaded, one) for one in twice)]
    left = [line for line in lines if line not in {one.line for one in twice}]
    moving = [home for line in left if (home := homes.home_of(line))]
    found += [_belongs(place.always_loaded, one) for one in moving]
    left = [line for line in left if line not in {one.line for one in moving}]
    found += _also_in_notes(place.always_loaded, left, homes)
    found += _unused(audited, left)
    return found


def tokens(text: str) -> int:
    """About how many tokens a text is: a quarter of its characters, one a wide (CJK) one."""
    return round(weight(text))


def _size(audited: Audited) -> Finding:
    place, text = audited.place, audited.place.always_loaded_text
    share = len(text) / place.cap
    numbers = {
        "characters": len(text), "cap": place.cap, "tokens": tokens(text),
        "share": round(share, 2), "lines": sum(bool(line.strip()) for line in text.split("\n")),
    }  # fmt: skip
    said = (
        f"{place.always_loaded}: {len(text):,} of {place.cap:,} characters, about"
        f" {tokens(text):,} tokens (a quarter of the characters) at every start"
    )
    if share > 1:
        said += f"; {len(text) - place.cap:,} characters over its cap, so nothing can be added"
    elif share >= FULL:
        said += f"; {place.room:,} characters are left"
    code = "over-cap" if share > 1 else "size"
    return Finding("always-loaded", code, place.always_loaded, said, numbers,
                   weight=0.9 if share > 1 else 0.0)  # fmt: skip


def _repeats(file: str, found: Repeated) -> Finding:
    line, of = found.line, found.of
    said = (
        f"line {line.number} says again what line {of.number} says: “{_short(line)}”"
        f" beside “{_short(of)}”"
    )
    numbers = {
        "line": line.number, "repeats": of.number, "covered": found.covered,
        "cosine": found.cosine, "characters": len(line.text),
    }  # fmt: skip
    value = round(0.6 + 0.2 * found.covered, 2)
    item = making.drop_line(
        file, line.text, value=value, evidence=[Evidence(file, of.number, "file", of.text)],
        why=f"line {of.number} says it: {found.covered:.0%} of it stands there in the same or"
        f" other words",
    )  # fmt: skip
    return Finding("always-loaded", "repeated-line", file, said, numbers, item=item, weight=value)


def _belongs(file: str, found: Belongs) -> Finding:
    line, note = found.line, found.note
    told = "says it already" if found.said else "does not say it yet"
    said = (
        f"line {line.number} is a detail that belongs in {note.file}, which {told}:"
        f" “{_short(line)}”"
    )
    numbers = {
        "line": line.number, "covered": found.covered, "cosine": found.cosine,
        "characters": len(line.text),
    }  # fmt: skip
    if found.said:
        item = making.drop_line(
            file, line.text, value=0.8, evidence=[_nearest(found)],
            why=f"a detail of one subject that {note.file} says already",
        )  # fmt: skip
    else:
        item = making.move_line(
            file, line.text, note.file, value=0.75,
            why=f"a detail of one subject, for which there is {note.file}",
        )  # fmt: skip
    return Finding("always-loaded", "belongs-in-note", file, said, numbers, (note.file,), item,
                   weight=item.value)  # fmt: skip


def _nearest(found: Belongs) -> Evidence:
    """The point of the note that has most of the line's words."""
    best = max(found.note.points, key=lambda one: len(stems(one.plain) & found.line.stems))
    return Evidence(found.note.file, best.line, "file", best.text)


def _also_in_notes(file: str, lines: Iterable[Line], homes: Homes) -> Iterator[Finding]:
    """One finding a note: which lines it says as well."""
    held: dict[str, list[Line]] = {}
    for line in lines:
        if found := homes.saying(line):
            held.setdefault(found.note.file, []).append(line)
    for note, own in held.items():
        size = sum(len(line.text) for line in own)
        numbers = {"lines": len(own), "characters": size}
        which = ", ".join(str(line.number) for line in own)
        noun, verb = ("line", "stands") if len(own) == 1 else ("lines", "stand")
        said = (
            f"{noun} {which} of {file} {verb} in {note} too ({size:,} characters): said at every"
            " start, so the note need not, or the other way round"
        )
        yield Finding("always-loaded", "also-in-note", file, said, numbers, (note,), weight=0.1)


def _unused(audited: Audited, lines: Sequence[Line]) -> Iterator[Finding]:
    record = unused.lines(lines, audited.exchanges)
    for line in record.untouched:
        said = (
            f"line {line.number} was touched in none of {record.sessions} recorded sessions:"
            f" “{_short(line)}”"
        )
        numbers = {"line": line.number, "sessions": record.sessions, "characters": len(line.text)}
        yield Finding("always-loaded", "unused-line", audited.place.always_loaded, said, numbers,
                      weight=0.05)  # fmt: skip


def _short(line: Line) -> str:
    return shortened(line.plain, _QUOTE)
