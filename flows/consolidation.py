"""Consolidation: when a bank crosses its soft limit, offer what may become one and what may go."""

from __future__ import annotations

from typing import Any

from prefect import flow, get_run_logger, task
from prefect.cache_policies import INPUTS, RUN_ID
from prefect.client.schemas.objects import State
from prefect.states import Completed

from flows.approval import publish, settle
from flows.retries import proposing
from flows.store import opened
from memory_core.proposals import queue
from memory_core.proposals.proposal import DRAFTING
from memory_core.routines import consolidating


@flow(
    name="consolidation",
    flow_run_name="consolidation {bank}",
    retries=0,  # a retry would ask for the decision again
    persist_result=True,
    timeout_seconds=3600,
)
def consolidation(bank: str, generation: int = -1) -> State[Any]:
    """Plan how a bank gets back under its soft limit, wait for a person, apply what was chosen.

    `bank` is an id such as `user:ada:github.com/acme/shop`. `generation` counts the ended
    runs of the bank: a run of one that is over does nothing; -1 takes the present one.
    """
    number = _open(bank, generation)
    if not number:
        return Completed(message=f"the run of generation {generation} has ended already")
    try:
        propose(number)
    except Exception as error:  # whatever it was, the bank's next crossing starts the next run
        _give_up(number, str(error) or type(error).__name__)
        raise
    return settle(number)


@proposing
def propose(number: int) -> int:
    """Plan over the frozen window, store the proposal and publish it; returns its number.

    A bank that is named for it is decided here too, once, with the surface `automatic`.
    """
    with opened() as store:
        proposal = queue.get(store.database, number)
        if proposal.state == DRAFTING:
            proposal = consolidating.offer(store.settings, store.database, store.root, proposal)
        proposal = consolidating.decided(store.settings, store.database, proposal)
        publish(proposal)
        get_run_logger().info(
            "proposal %d is %s: %s", proposal.id, proposal.state, proposal.summary
        )
        return proposal.id


@task(name="open", persist_result=True, cache_policy=INPUTS + RUN_ID)
def _open(bank: str, generation: int) -> int:
    """The number of the run's proposal, made at the first pass; 0 for a run that has ended."""
    with opened() as store:
        proposal = consolidating.opened(store.settings, store.database, bank, generation)
        return proposal.id if proposal else 0


def _give_up(number: int, reason: str) -> None:
    """End a run without a plan: nothing is applied, nothing is latched."""
    with opened() as store:
        publish(queue.fail(store.database, number, reason, settings=store.settings))
