"""One dream from its stored window to its offer: find, draft, challenge, store."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from memory_core import llm
from memory_core.llm import Complete
from memory_core.proposals import queue
from memory_core.proposals.proposal import Proposal
from memory_core.routines import panel
from memory_core.routines.draft import Draft
from memory_core.routines.dream import dream, model, reading
from memory_core.routines.dream.model import Tell
from memory_core.routines.panel import CompleteOf
from memory_core.routines.place import Ask, Place
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.vault.vault import Vault

NO_MODEL = "No language model is configured: on evidence alone."
NO_PANEL = "No panel is configured: nobody has objected to anything."
_FOUND, _DRAFTED, _HEARD = 0.3, 0.8, 0.95  # shares of the work that are done then


@dataclass(frozen=True, slots=True)
class Drafted:
    """A draft, and how much of the record was read for it."""

    sessions: int
    turns: int
    draft: Draft

    def summary(self, items: int) -> str:
        """One line for a proposal of so many items."""
        changes = "1 change" if items == 1 else f"{items} changes"
        return f"{self.sessions} sessions, {self.turns} turns: {changes} to decide"


def completes(database: Database, run: str) -> CompleteOf:
    """The language model of any settings, its calls on the books of one run."""

    def complete_of(own: Settings) -> Complete:
        return partial(llm.complete, own, database, routine="dream", run=run)

    return complete_of


def draft(
    settings: Settings,
    database: Database,
    root: Path,
    proposal: Proposal,
    ask: Ask,
    complete_of: CompleteOf,
    tell: Tell = lambda _share, _what: None,
) -> Drafted:
    """Draft over the proposal's window, with the panel's objections.

    Raises `SettingsError` for a panel that does not hold, before anything is sent, and
    what the language model, the warm server and the vault raise.
    """
    members = llm.panel(settings)
    place = _place(settings, root, proposal)
    tell(0.0, "looking for evidence")
    window = dict(proposal.window)
    found = dream.evidence(reading.read(database, window), place, ask)
    drafted = dream.draft(found, place)
    if llm.ready(settings):
        exchanges = list(reading.read(database, window))
        tell(_FOUND, f"{len(drafted.items)} found without a model")
        drafted = model.draft(
            exchanges, drafted, place, ask, complete_of(settings),
            room=llm.room(settings), tokens=settings.llm_tokens_a_run,
            tell=lambda share, what: tell(_FOUND + share * (_DRAFTED - _FOUND), what),
        )  # fmt: skip
        drafted = drafted if members else Draft(drafted.items, (NO_PANEL, *drafted.notices))
    else:
        drafted = Draft(drafted.items, (NO_MODEL, *drafted.notices))
    tell(_DRAFTED, f"{len(drafted.items)} drafted, {len(members)} panelists asked")
    drafted = panel.challenged(drafted, members, complete_of)
    tell(_HEARD, "storing")
    return Drafted(found.sessions, found.turns, drafted)


def offer(
    settings: Settings, database: Database, root: Path, proposal: Proposal, drafted: Drafted
) -> Proposal:
    """Store a draft; returns the proposal as it is then."""
    return queue.offer(
        database, root, settings, proposal.id, drafted.draft.items, summary=drafted.summary,
        notices=drafted.draft.notices, cost=llm.cost(database, proposal.run),
    )  # fmt: skip


def _place(settings: Settings, root: Path, proposal: Proposal) -> Place:
    vault = Vault(root, settings.always_loaded)
    return Place.of(vault, user=proposal.user, scope="", session="", cap=settings.always_loaded_cap)
