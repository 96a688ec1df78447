"""Whether a note tells a procedure already, and which of its steps it lacks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from memory_core.routines.dream import told
from memory_core.routines.dream.findings import Known
from memory_core.routines.dream.procedures import Part, Procedure
from memory_core.routines.dream.told import Told
from memory_core.vault.note import Note

TOLD = 0.6  # share of the core steps from which a note tells the procedure


def known(procedures: Sequence[Procedure], notes: Iterable[Note]) -> list[Known]:
    """Each procedure with the note that tells most of it, if one does."""
    by_program: dict[str, list[Told]] = defaultdict(list)
    for one in told.commands(notes):
        by_program[one.step.words[0]].append(one)
    return [_known(procedure, by_program) for procedure in procedures]


def _known(procedure: Procedure, by_program: dict[str, list[Told]]) -> Known:
    telling: dict[str, dict[int, Told]] = defaultdict(dict)
    for at, part in enumerate(procedure.parts):
        for one in by_program.get(part.sign[0], ()):
            if part.core and _tells(one, part):
                telling[one.note.file].setdefault(at, one)
    if not telling:
        return Known(procedure)
    best = max(telling.values(), key=len)
    if len(best) < TOLD * len(procedure.core):
        return Known(procedure)
    lines = Counter(one.point.line for one in best.values())
    line = lines.most_common(1)[0][0]
    chosen = next(one for one in best.values() if one.point.line == line)
    missing = [at for at, part in enumerate(procedure.parts) if part.core and at not in best]
    return Known(procedure, chosen.note, chosen.point, tuple(missing))


def _tells(one: Told, part: Part) -> bool:
    """Whether a told command is this step: the words agree as far as both go; so do the modes."""
    words = tuple(word for word in part.sign if not word.startswith("-"))
    depth = min(len(one.step.words), len(words))
    return depth >= min(2, len(words)) and one.step.words[:depth] == words[:depth]
