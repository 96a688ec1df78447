"""Dream without a language model: what the window shows across its sessions, and a draft of it.

Reads the exchanges once, in any order of sessions, and holds little of them: cost grows
with their number. `ask` is used for `embed` (points of likely pairs of notes) and `recall`
(statements whose note is not plain by words).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memory_core.record.exchange import Exchange
from memory_core.routines.dream import pairs
from memory_core.routines.dream.contradictions import Contradictions
from memory_core.routines.dream.drafting import draft
from memory_core.routines.dream.failed_commands import FailedCommands
from memory_core.routines.dream.findings import Findings
from memory_core.routines.dream.held import Held
from memory_core.routines.dream.known import known
from memory_core.routines.dream.procedures import procedures
from memory_core.routines.dream.subjects import RECALLS, Subjects
from memory_core.routines.dream.uses import Uses
from memory_core.routines.dream.window import Window
from memory_core.routines.place import Ask, Place
from memory_core.vault.note import Note, parse

__all__ = ["draft", "evidence"]


def evidence(exchanges: Iterable[Exchange], place: Place, ask: Ask) -> Findings:
    """What the exchanges show about the notes of a place.

    Exchanges of one session come in their order. Raises what `ask` raises.
    """
    notes = _notes(place)
    held = Held(notes)
    uses, failed, contradictions = Uses(), FailedCommands(notes), Contradictions(held, ask)
    window = Window(contradictions.matters)
    sessions: set[str] = set()
    turns = 0
    for exchange in exchanges:
        sessions.add(exchange.session)
        turns += 1
        uses.add(exchange)
        failed.add(exchange)
        for said in window.add(exchange):
            contradictions.add(said)
    for said in window.rest():
        contradictions.add(said)
    superseded, duplicates, missing = pairs.compare(held, place.notes, ask)
    return Findings(
        len(sessions), turns,
        tuple(known(procedures(uses.found), place.notes)),
        tuple(contradictions.found()), tuple(superseded), tuple(duplicates), tuple(failed.found()),
        tuple(_notices(contradictions.subjects, missing)),
    )  # fmt: skip


def _notes(place: Place) -> list[Note]:
    """The notes, and the always-loaded file as one of them."""
    if not place.always_loaded_text:
        return list(place.notes)
    return [*place.notes, parse(place.always_loaded_text, place.always_loaded)]


def _notices(subjects: Subjects, missing: str) -> Iterator[str]:
    if missing:
        yield f"notes were not compared with one another: {missing}"
    if subjects.unavailable:
        yield f"recall was unavailable ({subjects.unavailable}); words alone told which note"
    elif subjects.recalls >= RECALLS:
        yield f"recall was asked {RECALLS} times; beyond that words alone told which note"
