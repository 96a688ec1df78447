"""Questions for notes that have none, drafted by a language model, checked by rules.

A drafted question counts when its answer stands in its note, verbatim and once, and when it
does not find the note by the note's own words: a test of copied words tests nothing. What
does not hold is left out and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from memory_core import prompts
from memory_core.errors import BadInput
from memory_core.llm import Complete
from memory_core.proposals import making
from memory_core.proposals.item import Evidence, Item
from memory_core.redaction import kinds
from memory_core.routines import candidates
from memory_core.routines.optimize.audited import Audited
from memory_core.routines.optimize.finding import Finding
from memory_core.routines.optimize.lines import stems
from memory_core.routines.optimize.working_set import notes_without
from memory_core.routines.pieces import weight
from memory_core.text import one_line
from memory_core.vault.note import Note, shortened

MOST = 10  # questions of a run: a person decides seven changes at a time
ROOM = 24_000  # input tokens, of a model of which nothing else is said
LARGEST = 20_000  # tokens of notes that one request shows
RULES = 1_600  # tokens of the prompt's own text and its schema
COPIED = 0.5  # share of a question's content words that its note may have
SAME = 0.6  # Jaccard similarity of the content words, from which a question is asked already
FEWEST = 2  # content words of a question
_QUOTE = 90


class Asked(BaseModel):
    """One question; the prompt says what each field means."""

    model_config = ConfigDict(extra="forbid")

    note: str = Field(description="the file of a note shown")
    point: int = Field(description="the number of the point that answers")
    answer: str = Field(min_length=10, max_length=200, description="verbatim piece of the point")
    query: str = Field(min_length=8, max_length=400)


class Questions(BaseModel):
    """The questions of a request."""

    model_config = ConfigDict(extra="forbid")

    questions: list[Asked] = Field(max_length=MOST)


@dataclass(frozen=True, slots=True)
class Drafted:
    """Findings with an item each, and what to tell besides."""

    findings: tuple[Finding, ...] = ()
    notices: tuple[str, ...] = ()


def drafted(audited: Audited, complete: Complete, *, room: int = ROOM) -> Drafted:
    """Questions for the notes without one, those that recall showed most first.

    `room` is the input tokens of one request (`llm.room`). Raises what `complete` raises;
    nothing is sent where every note has a question.
    """
    shown = [*_fitting(notes_without(audited), max(1_000, min(room - RULES, LARGEST)))]
    if not shown:
        return Drafted()
    values: dict[str, str | int] = {
        "notes": "\n\n".join(map(candidates.told, shown)),
        "most": min(MOST, len(shown)),
    }
    reply = complete(prompt=prompts.load("optimize-questions"), values=values, schema=Questions)
    left_out: Counter[str] = Counter()
    made = [*_checked(reply.questions, {note.file: note for note in shown}, audited, left_out)]
    told = ", ".join(f"{count} {why}" for why, count in sorted(left_out.items()))
    notices = (f"drafted questions that were left out: {told}",) if told else ()
    return Drafted(tuple(made), notices)


def _fitting(notes: Sequence[Note], room: int) -> Iterator[Note]:
    for note in notes[: 2 * MOST]:
        room -= weight(candidates.told(note))
        if room < 0:
            return
        yield note


def _checked(
    asked: Iterable[Asked], shown: dict[str, Note], audited: Audited, left_out: Counter[str]
) -> Iterator[Finding]:
    known = [stems(question.query) for question in audited.questions]
    taken: set[str] = set()
    for one in asked:
        note = shown.get(one.note)
        fault = "named no note shown" if note is None else _fault(one, note, audited, known, taken)
        item = _item(one, note) if note and not fault else None
        if note is None or item is None:
            left_out[fault or "hold no field as it must be"] += 1
            continue
        taken.add(note.file)
        known.append(stems(one.query))
        said = f"a question for {note.file}, which has none: “{shortened(one.query, _QUOTE)}”"
        numbers = {"shared words": round(_shared(one, note), 2)}
        yield Finding("test", "drafted-question", note.file, said, numbers, (), item,
                      weight=item.value)  # fmt: skip


def _fault(
    one: Asked, note: Note, audited: Audited, known: Sequence[frozenset[str]], taken: set[str]
) -> str:
    """Why a question cannot stand, "" where it can."""
    if note.file in taken:
        return "asked for a note a second time"
    if not 1 <= one.point <= len(note.points):
        return "named no point of the note"
    answer = one_line(one.answer)
    if answer not in one_line(note.points[one.point - 1].text):
        return "quoted what the point does not say"
    if one_line(audited.read(note.file)).count(answer) != 1:
        return "quoted what stands there more than once"
    if kinds(f"{one.query} {answer}"):
        return "held what looks like a secret"
    own = stems(one.query)
    if len(own) < FEWEST:
        return "had too few words"
    if _shared(one, note) > COPIED:
        return "repeated the note's words"
    if any(len(own & other) >= SAME * len(own | other) for other in known):
        return "are asked already"
    return ""


def _shared(one: Asked, note: Note) -> float:
    """The share of the question's content words that stand in its note."""
    own = stems(one.query)
    held = stems(" ".join((note.key, note.description, *(point.text for point in note.points))))
    return len(own & held) / len(own) if own else 1.0


def _item(one: Asked, note: Note) -> Item | None:
    point = note.points[one.point - 1]
    kind = "direct" if _shared(one, note) else "paraphrase"
    try:
        return making.add_question(
            one_line(one.query), note.file, one.answer.strip(), kind, value=0.25,
            why="no question asks for this note yet",
            evidence=[Evidence(note.file, point.line, "file", point.text)],
        )  # fmt: skip
    except BadInput:
        return None
