"""Drafting by the language model for a benchmark, recorded or played again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memory_core.errors import BadInput

DREAM_TOKENS = 400_000  # what a benchmark's dream counts as a run's tokens

if TYPE_CHECKING:
    from memory_core.benchmark.dream_score import Dreamed
    from memory_core.llm import Complete
    from memory_core.proposals.item import Item
    from memory_core.record.exchange import Exchange
    from memory_core.routines.place import Ask, Place

    Dreaming = Callable[[Sequence[Exchange], Place, Ask], Dreamed]
    Drafting = Callable[[Sequence[Exchange], Place, Ask], Sequence[Item]]


def drafting(record: Path | None, replay: Path | None, model: str = "") -> Drafting:
    """How a session is drafted: by the configured model, or from a tape without one.

    `model` goes before the configured one. Parts of a session are of one size whatever
    the model holds, so that a tape fits anywhere. Raises `BadInput` for both files at
    once, and what tapes and settings raise.
    """
    from memory_core.routines import wrap_model

    complete_of = _completes(record, replay, model)

    def draft(exchanges: Sequence[Exchange], place: Place, ask: Ask) -> Sequence[Item]:
        return wrap_model.draft(exchanges, place, ask, complete_of(place.session)).items

    return draft


def dreaming(record: Path | None, replay: Path | None, model: str = "") -> Dreaming:
    """How a window is dreamt over: the rules, then the model; raises as `drafting` does.

    Exchanges are shown at one length whatever a run may spend, so that a tape fits anywhere.
    """
    from memory_core.benchmark.dream_score import Dreamed
    from memory_core.cli.bench_dream import by_rules
    from memory_core.routines import wrap_model
    from memory_core.routines.draft import Draft
    from memory_core.routines.dream import model as dream_model

    complete_of = _completes(record, replay, model)

    def draft(exchanges: Sequence[Exchange], place: Place, ask: Ask) -> Dreamed:
        found = by_rules(exchanges, place, ask)
        drafted = dream_model.draft(
            exchanges, Draft(found.items, found.notices), place, ask, complete_of("dream"),
            room=wrap_model.ROOM, tokens=DREAM_TOKENS,
        )  # fmt: skip
        return Dreamed(drafted.items, found.duplicates, drafted.notices)

    return draft


def _completes(record: Path | None, replay: Path | None, model: str) -> Callable[[str], Complete]:
    """What a session is drafted with; each is a run with a budget of its own."""
    from memory_core import llm
    from memory_core.cli.measuring import open_store
    from memory_core.errors import SettingsError
    from memory_core.llm.tape import Player, Recorder
    from memory_core.store.tables import now

    if record and replay:
        raise BadInput("--record and --replay exclude each other", remedy="name one of them")
    if replay:
        player = Player(replay)
        return lambda _session: player
    chosen, database = open_store()
    if model:
        chosen = chosen.model_copy(update={"llm_model": model})
    if not llm.ready(chosen):
        raise SettingsError("no language model is configured", remedy="set llm_model, or --replay")
    began = f"{now():%Y-%m-%dT%H:%M:%S}"

    def complete_of(session: str) -> Complete:
        run = f"bench {session} {began}"
        complete = partial(llm.complete, chosen, database, routine="bench", run=run)
        return Recorder(record, complete) if record else complete

    if record:
        complete_of("")  # a tape that cannot be written is said before anything is asked
    return complete_of
