"""Dream: across sessions, offer what only shows when they are laid side by side."""

from __future__ import annotations

from functools import partial
from typing import Any

from prefect import flow, get_run_logger, task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.states import Completed
from pydantic import NonNegativeInt

from flows import runs
from flows.approval import publish, settle
from flows.language_model import asked
from flows.model_server import ask_model_server
from flows.progress import Progress
from flows.retries import JITTER, SERVER_WAITS, transient
from flows.store import Store, opened
from memory_core import llm
from memory_core.errors import BadInput, WellkeptError
from memory_core.llm import Complete
from memory_core.proposals import opening, queue
from memory_core.proposals.proposal import Proposal
from memory_core.record import capture
from memory_core.routines import dreaming
from memory_core.routines.dream import reading
from memory_core.routines.dreaming import Drafted
from memory_core.settings import Settings

LOST = "its run ended before it offered anything; a newer one reads its window"


@flow(name="dream", retries=0, timeout_seconds=4 * 3600)  # a retry would ask the person again
def dream(limit: NonNegativeInt = 0, proposal: NonNegativeInt = 0) -> State[Any]:
    """Offer what only shows across sessions, wait for a person, apply what was chosen.

    It reads what was recorded since the last dream that was decided, and finds procedures
    that were used four or more times and notes that no longer hold.

    Args:
        limit: Read at most so many exchanges; 0 reads all that is new.
        proposal: Take up this proposal, whose own run is gone; 0 begins a new one.
    """
    with opened() as store:
        llm.panel(store.settings)  # a panel that does not hold is refused before anything else
        if store.settings.vault is None:
            return Completed(message="no vault is named: there are no notes to dream about")
        held = opening.held_by(store.database, runs.own())
        number, holder = (held.id, runs.own()) if held else _claim(store, limit, proposal)
    if holder != runs.own():
        return Completed(message=f"run {holder} has this window already, as proposal {number}")
    propose(number)
    return settle(number)


@task(
    name="store-the-record",
    retries=len(SERVER_WAITS),
    retry_delay_seconds=SERVER_WAITS,
    retry_jitter_factor=JITTER,
    retry_condition_fn=transient,
    cache_policy=NO_CACHE,
)
def store_the_record() -> int:
    """Store what the hooks of all sessions left; how many exchanges are new."""
    with opened() as store:
        settings = store.settings
        done = capture.drain_all(store.database, settings.user, keep_days=settings.record_days)
    for problem in done.problems:
        get_run_logger().warning("%s", problem)
    return done.stored


@task(name="propose", timeout_seconds=3 * 3600, cache_policy=NO_CACHE)
def propose(number: int) -> None:
    """Draft over the frozen window, store the proposal and publish it; nothing the second time.

    Its questions to models and to the warm server are tasks, and are tried again one by one.
    """
    with opened() as store:
        proposal = queue.get(store.database, number)
        if proposal.state == "drafting":
            proposal = _offered(store, proposal)
            publish(proposal)
        get_run_logger().info("proposal %d is %s: %s", number, proposal.state, proposal.summary)


@task(
    name="store-the-proposal",
    retries=len(SERVER_WAITS),
    retry_delay_seconds=SERVER_WAITS,
    retry_jitter_factor=JITTER,
    retry_condition_fn=transient,
    cache_policy=NO_CACHE,
)
def store_the_proposal(number: int, drafted: Drafted) -> None:
    """Number and store the draft, once."""
    with opened() as store:
        proposal = queue.get(store.database, number)
        dreaming.offer(store.settings, store.database, store.root, proposal, drafted)


def _claim(store: Store, limit: int, proposal: int) -> tuple[int, str]:
    """The proposal of what is unread, and the run that has it: this one, or another that lives."""
    database, user = store.database, store.settings.user
    if proposal:
        wanted = queue.get(database, proposal)
        if wanted.routine != reading.ROUTINE:
            raise BadInput(f"proposal {proposal} is of {wanted.routine}, not of a dream")
    else:
        store_the_record()
        subject = reading.subject(store.root, user)
        for draft in opening.drafts(database, reading.ROUTINE, subject):
            if draft.flow_run and not runs.lives(draft.flow_run):
                queue.fail(database, draft.id, LOST)
        wanted = opening.open_next(
            database, routine=reading.ROUTINE, subject=subject, user=user, scope="",
            end=lambda session, since: reading.end(session, user, since, limit),
            detail={"user": user},
        )  # fmt: skip
    return wanted.id, opening.take(database, wanted.id, runs.own(), runs.lives)


def _offered(store: Store, proposal: Proposal) -> Proposal:
    """Draft and store; a run that fails is marked so, and its window stays unread."""
    complete_of = partial(_asked, dreaming.completes(store.database, proposal.run))
    try:
        drafted = dreaming.draft(
            store.settings, store.database, store.root, proposal, ask_model_server, complete_of,
            Progress("dream"),
        )  # fmt: skip
        store_the_proposal(proposal.id, drafted)
    except Exception as error:
        reason = error.message if isinstance(error, WellkeptError) else type(error).__name__
        queue.fail(store.database, proposal.id, reason)
        queue.wait_at(store.database, proposal.id, "")  # "retry" in the UI opens the window anew
        raise
    return queue.get(store.database, proposal.id)


def _asked(complete_of: Any, settings: Settings) -> Complete:
    return asked(complete_of(settings), " ".join(settings.llm_model.split()[:1]))
