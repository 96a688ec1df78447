"""One consolidation from the crossing of a soft limit to its offer: freeze, plan, number, store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from memory_core import llm
from memory_core.banks.bank import parse_bank_id
from memory_core.banks.caps import Caps
from memory_core.banks.memory import Memory, linked
from memory_core.banks.rules import configured_rules
from memory_core.proposals import queue
from memory_core.proposals.decision import Decision, decide
from memory_core.proposals.item import Item
from memory_core.proposals.proposal import OPEN, Proposal
from memory_core.routines import consolidation, consolidation_model, consolidation_window
from memory_core.routines.consolidation_past import Past, past
from memory_core.routines.consolidation_plan import MOST, Change, Plan
from memory_core.settings import Settings
from memory_core.store.database import Database

NO_MODEL = "No language model is configured: what is the same or said to be replaced, no more."


def opened(
    settings: Settings, database: Database, bank: str, generation: int = -1
) -> Proposal | None:
    """The proposal of a bank's run with its frozen window; -1 = the present generation.

    None when that run is over. Raises `BadInput` and `NotFound` for a bank that is none.
    """
    window = consolidation_window.of_bank(database, bank, generation)
    if window is None:
        return None
    return queue.open_run(
        database,
        routine=consolidation_window.ROUTINE,
        subject=bank,
        run=window.run,
        user=window.bank.user or settings.user,
        scope=window.bank.scope or "",
        window=window.as_json(),
    )


def offer(settings: Settings, database: Database, root: Path, proposal: Proposal) -> Proposal:
    """Plan over the proposal's window and store the items; returns the proposal as it is then.

    Raises what the language model raises; nothing is stored then.
    """
    caps = configured_rules(settings).caps
    memories = consolidation_window.read(database, proposal.window)
    store = partial(queue.offer, database, root, settings, proposal.id)
    if len(memories) <= caps.soft:
        return store((), summary=f"{len(memories)} memories: under the soft limit again")
    told = past(database, proposal.user, memories)
    notices: list[str] = []
    if llm.ready(settings):
        complete = partial(
            llm.complete, settings, database, routine=proposal.routine, run=proposal.run
        )
        room = llm.room(settings)
        made = consolidation_model.plan(memories, caps, complete, past=told, room=room)
        notices.append(made.notice)
        made = extended(made, consolidation.plan(memories, caps).changes, memories, caps, told)
    else:
        made = consolidation.plan(memories, caps)
        notices.append(NO_MODEL)
    made = extended(made, told.left, memories, caps, told)
    notices.append(_full(made, caps))
    return store(
        _items(made, memories),
        summary=f"{made.held} memories in {proposal.subject}, {made.left} if all is applied",
        notices=[line for line in notices if line],
        cost=llm.cost(database, proposal.run) if llm.ready(settings) else {},
    )


def extended(
    plan: Plan, more: Iterable[Change], memories: Sequence[Memory], caps: Caps, told: Past
) -> Plan:
    """The plan with those further changes that nobody refused and that still pass the check."""
    changes = plan.changes
    for change in more:
        longer = (*changes, change)
        wanted = told.wants(change) and len(longer) <= MOST
        if wanted and not consolidation.check(Plan(plan.held, longer), memories, caps):
            changes = longer
    return replace(plan, changes=changes)


def at_once(settings: Settings, bank: str) -> bool:
    """Whether the harness's owner wants this bank's plans carried out without a person."""
    return bool({bank, parse_bank_id(bank).kind} & set(settings.consolidation_automatic))


def decided(settings: Settings, database: Database, proposal: Proposal) -> Proposal:
    """Take the decision for a bank that is consolidated automatically; others wait as they do."""
    if proposal.state != OPEN or not at_once(settings, proposal.subject):
        return proposal
    choice = Decision("apply all", surface="automatic", comment="consolidation_automatic")
    return decide(database, proposal.id, choice, settings=settings)


def _items(plan: Plan, memories: Sequence[Memory]) -> list[Item]:
    """The items, each with the versions that the plan read, of what its reason rests on too."""
    by_key = {memory.key: memory for memory in memories}
    found = []
    for change, item in zip(plan.changes, consolidation.items(plan, memories), strict=True):
        others = [key for key in linked(change.reason) if key in by_key and key not in change.keys]
        rests = [by_key[key].id for key in others]
        read = {by_key[key].id: str(by_key[key].version) for key in (*change.keys, *others)}
        found.append(replace(item, detail={**item.detail, "rests": rests, "read": read}))
    return found


def _full(plan: Plan, caps: Caps) -> str:
    if not plan.latches(caps):
        return ""
    return (
        f"No plan gets the bank under its soft limit of {caps.soft}:"
        f" {plan.left} of {plan.held} memories stay."
        " It will be FULL and take no new key until somebody drops one"
    )
