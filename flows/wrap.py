"""Wrap: at the end of a session, offer what is worth keeping of it."""

from __future__ import annotations

from typing import Any

from prefect import flow, get_run_logger
from prefect.client.schemas.objects import State

from flows.approval import publish, settle
from flows.model_server import ask_model_server
from flows.retries import proposing
from flows.store import Store, opened
from memory_core.proposals import queue
from memory_core.proposals.proposal import Proposal
from memory_core.routines import window, wrapping


@flow(
    name="wrap",
    flow_run_name="wrap {session}",
    retries=0,  # a retry would ask for the decision again
    persist_result=True,
    timeout_seconds=3600,
)
def wrap(session: str, until: int = 0) -> State[Any]:
    """Offer what a session taught, wait for a person, apply what was chosen.

    `until` is the record's sequence number up to which the session is read; 0 reads all.
    """
    number = propose(session, until)
    return settle(number)


@proposing
def propose(session: str, until: int) -> int:
    """Draft over the frozen window, store the proposal and publish it; returns its number."""
    with opened() as store:
        proposal = _open(store, session, until)
        if proposal.state == "drafting":
            proposal = wrapping.offer(
                store.settings, store.database, store.root, proposal, ask_model_server
            )
        publish(proposal)
        get_run_logger().info(
            "proposal %d is %s: %s", proposal.id, proposal.state, proposal.summary
        )
        return proposal.id


def _open(store: Store, session: str, until: int) -> Proposal:
    """The run's proposal with its window, which is frozen when the run is first seen."""
    read = window.of_session(store.database, store.settings.user, session, until)
    return queue.open_run(
        store.database,
        routine="wrap",
        subject=read.session,
        run=read.run,
        user=read.user,
        scope=read.scope,
        window=read.as_json(),
    )
