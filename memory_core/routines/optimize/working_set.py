"""The test, audited: what its working set does not ask, no longer asks, or asks too easily.

Nothing here sees a held-out question. A question is retired only where what it asks for is
gone; one that recall gets wrong is the best of all and stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from memory_core.benchmark.questions import NONSENSE, Question
from memory_core.errors import BadInput
from memory_core.proposals import making
from memory_core.proposals.item import Item
from memory_core.routines.optimize.audited import Audited
from memory_core.routines.optimize.finding import Finding
from memory_core.routines.optimize.lines import stems
from memory_core.vault.note import Note, Point, shortened

EASY = 0.5  # share of the answerable questions from which a test tells little
FEWEST = 20  # questions from which kinds can be compared
MOST_OF_A_KIND = 0.5  # share of the answerable questions
LEAST_NONSENSE = 0.1  # share of all questions
NARROW = 0.02  # clearance below which a new note may wake a nonsense question
ANSWERED = 0.75  # share of a nonsense question's words that a point has, to answer it
NAMED = 50
_QUOTE = 90


def findings(audited: Audited) -> list[Finding]:
    """What the test shows; never raises."""
    if not audited.questions:
        return [*_without_questions(audited), _no_test(audited)]
    return [
        *_vanished(audited),
        *_nonsense(audited),
        *_easy(audited),
        *_lost(audited),
        *_kinds(audited),
        *_without_questions(audited),
        *_clearance(audited),
    ]


def notes_without(audited: Audited) -> list[Note]:
    """The notes that no question of the working set asks for, those shown most first."""
    asked = {file for question in audited.questions for file in question.right}
    left = [note for note in audited.place.notes if note.file not in asked and note.points]
    shown = audited.shown or {}
    return sorted(left, key=lambda note: (-shown.get(note.file, 0), note.file))


def _no_test(audited: Audited) -> Finding:
    said = "there is no working set, so nothing is measured; wellkept bench add makes one"
    return Finding("test", "no-test", "", said, {"notes": len(audited.place.notes)}, weight=0.2)


def _vanished(audited: Audited) -> Iterator[Finding]:
    """Questions whose note or answering point is gone can go; others are told."""
    gone: dict[str, list[str]] = {}
    for id, problem in audited.problems:
        gone.setdefault(id, []).append(problem)
    known = {question.id: question for question in audited.questions}
    for id, problems in gone.items():
        if id not in known:
            continue
        said = f"question {id}: {'; '.join(problems)}"
        if _is_answerless(known[id], problems):
            item = _retired(audited, id, "what it asks for no longer stands in its note")
            yield Finding("test", "vanished", id, said, {}, (), item,
                          weight=0.5 if item else 0.2)  # fmt: skip
        else:
            yield Finding("test", "ambiguous", id, said, {}, weight=0.1)


def _is_answerless(question: Question, problems: list[str]) -> bool:
    """Whether its own note or point is gone, rather than a further note that it accepts."""
    own = (f"the note {question.note} is gone", "its answering point no longer stands")
    return any(problem.startswith(own) for problem in problems)


def _retired(audited: Audited, id: str, why: str) -> Item | None:
    line = audited.lines.get(id)
    if not line:
        return None
    return making.retire_question(line, value=0.5, why=why)


def _nonsense(audited: Audited) -> Iterator[Finding]:
    """Nonsense above the floor: what a note answers now is no nonsense any more."""
    if audited.floor is None:
        return
    for question in audited.questions:
        result = audited.results.get(question.id)
        if question.answerable or result is None or result.best is None:
            continue
        if result.best < audited.floor:
            continue
        numbers = {"score": round(result.best, 4), "floor": round(audited.floor, 4)}
        said = (
            f"question {question.id} is nonsense and scores {result.best:.3f}, above the floor of"
            f" {audited.floor:.3f}: “{shortened(question.query, _QUOTE)}”"
        )
        answer = _answer(audited, question)
        if answer is None:
            yield Finding("test", "loud-nonsense", question.id,
                          f"{said}; no note answers it, so it stays", numbers,
                          weight=0.2)  # fmt: skip
            continue
        note, point = answer
        said += f"; {note.file} answers it now"
        item = _rekinded(audited, question, note, point)
        yield Finding("test", "answered-nonsense", question.id, said, numbers, (note.file,), item,
                      weight=0.45 if item else 0.2)  # fmt: skip


def _answer(audited: Audited, question: Question) -> tuple[Note, Point] | None:
    """The one point that has nearly all words of a question."""
    asked = stems(question.query)
    best: tuple[float, Note, Point] | None = None
    for note in audited.place.notes:
        head = stems(f"{note.key.replace('-', ' ')} {note.description}")
        for point in note.points:
            held = stems(point.plain)
            share = len(asked & (held | head)) / len(asked) if asked & held else 0.0
            if share >= ANSWERED and (best is None or share > best[0]):
                best = share, note, point
    return best[1:] if best else None


def _rekinded(audited: Audited, question: Question, note: Note, point: Point) -> Item | None:
    line = audited.lines.get(question.id)
    if not line:
        return None
    try:
        return making.revise_question(
            line, note=note.file, answer_point=point.plain.strip(), kind="direct", value=0.45,
            why=f"{note.file} has nearly all of its words in one point",
        )  # fmt: skip
    except BadInput:
        return None


def _easy(audited: Audited) -> Iterator[Finding]:
    """Questions whose note is first in words and first in meaning: they can only fall."""
    real = [one for one in audited.questions if one.answerable and one.id in audited.legs]
    easy = [one.id for one in real if audited.legs[one.id] == (1, 1)]
    if not real or not easy:
        return
    share = len(easy) / len(real)
    said = (
        f"{len(easy)} of {len(real)} answerable questions ({share:.0%}) have their note first in"
        " words and first in meaning: they guard against a fall, and show no gain"
    )
    numbers = {"easy": len(easy), "of": len(real), "share": round(share, 4)}
    yield Finding("test", "easy", easy[0], said, numbers, weight=0.15 if share > EASY else 0.05)


def _lost(audited: Audited) -> Iterator[Finding]:
    """Where the questions that were missed were lost."""
    reasons = Counter(result.lost for result in audited.results.values() if result.lost)
    if reasons:
        missed = sum(reasons.values())
        told = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
        first = next(id for id, result in audited.results.items() if result.lost)
        yield Finding("test", "missed", first, f"{missed} questions were missed: {told}",
                      {"missed": missed, **reasons}, weight=0.1)  # fmt: skip


def _kinds(audited: Audited) -> Iterator[Finding]:
    """Kinds that weigh too much or too little."""
    if len(audited.questions) < FEWEST:
        return
    kinds = Counter(one.kind for one in audited.questions if one.answerable)
    real = sum(kinds.values())
    nonsense = len(audited.questions) - real
    for kind, count in kinds.most_common(1):
        if len(kinds) == 1 or count > MOST_OF_A_KIND * real:
            said = f"{count} of {real} answerable questions are of the kind {kind}"
            yield Finding("test", "one-sided", "", said, {"kind": kind, "count": count, "of": real},
                          weight=0.15)  # fmt: skip
    if nonsense < LEAST_NONSENSE * len(audited.questions):
        said = (
            f"{nonsense} of {len(audited.questions)} questions are {NONSENSE}: with fewer than"
            f" {LEAST_NONSENSE:.0%}, that recall stays quiet is hardly tested"
        )
        numbers = {"count": nonsense, "of": len(audited.questions)}
        yield Finding("test", "little-nonsense", "", said, numbers, weight=0.15)


def _without_questions(audited: Audited) -> Iterator[Finding]:
    left = notes_without(audited)
    if not left:
        return
    files = [note.file for note in left]
    named = ", ".join(files[:5]) + (f" and {len(files) - 5} more" if len(files) > 5 else "")
    noun = "note has" if len(files) == 1 else "notes have"
    said = (
        f"{len(files)} of {len(audited.place.notes)} {noun} no question: {named}; one that a person"
        " or a language model words is needed, a template asks with the note's own words"
    )
    numbers = {"notes": len(files), "of": len(audited.place.notes)}
    yield Finding("test", "no-question", files[0], said, numbers, tuple(files[1:NAMED]),
                  weight=0.15)  # fmt: skip


def _clearance(audited: Audited) -> Iterator[Finding]:
    """How far the best nonsense question is below the floor."""
    if audited.clearance is None:
        return
    value = audited.clearance
    said = f"clearance is {value:.3f}: the floor minus the best score of a nonsense question"
    if value <= 0:
        said += "; recall answers nonsense, so measure the floor anew: wellkept calibrate"
    elif value < NARROW:
        said += "; a new note may wake a nonsense question"
    numbers = {"clearance": round(value, 4)}
    if audited.floor is not None:
        numbers["floor"] = round(audited.floor, 4)
    weight = 0.4 if value <= 0 else 0.1 if value < NARROW else 0.0
    yield Finding("test", "clearance", "", said, numbers, weight=weight)
