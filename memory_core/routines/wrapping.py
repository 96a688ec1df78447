"""One wrap from its stored window to its offer: read, draft, number, store."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from memory_core import llm
from memory_core.proposals import queue
from memory_core.proposals.proposal import Proposal
from memory_core.routines import wrap, wrap_model
from memory_core.routines.place import Ask, Place
from memory_core.routines.window import read
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.vault.vault import Vault


def offer(
    settings: Settings, database: Database, root: Path, proposal: Proposal, ask: Ask
) -> Proposal:
    """Draft over the proposal's window and store the items; returns the proposal as it is then.

    Raises what the language model, the warm server and the vault raise; nothing is stored then.
    """
    exchanges = read(database, dict(proposal.window))
    place = _place(settings, proposal)
    if llm.ready(settings):
        complete = partial(llm.complete, settings, database, routine="wrap", run=proposal.run)
        draft = wrap_model.draft(exchanges, place, ask, complete, room=llm.room(settings))
        cost = llm.cost(database, proposal.run)
    else:
        draft, cost = wrap.draft(exchanges, place, ask), {}
    return queue.offer(
        database, root, settings, proposal.id, draft.items,
        summary=partial(_summary, session=proposal.subject),
        notices=draft.notices, cost=cost,
    )  # fmt: skip


def _place(settings: Settings, proposal: Proposal) -> Place:
    user, scope, session = proposal.user, proposal.scope, proposal.subject
    if settings.vault is None:
        return Place(user, scope, session, has_vault=False)
    vault = Vault(settings.vault, settings.always_loaded)
    cap = settings.always_loaded_cap
    return Place.of(vault, user=user, scope=scope, session=session, cap=cap)


def _summary(found: int, session: str) -> str:
    things = {0: "Nothing", 1: "One thing"}.get(found, f"{found} things")
    return f"{things} worth keeping from session {session}"
