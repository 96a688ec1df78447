"""Optimize: score memory, audit what it costs and brings, offer what would make it better."""

from __future__ import annotations

from functools import partial
from typing import Any

from prefect import flow, get_run_logger, task
from prefect.artifacts import create_markdown_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.states import Completed
from pydantic import NonNegativeInt

from flows import runs
from flows.approval import publish, settle
from flows.language_model import asked
from flows.model_server import ask_model_server
from flows.progress import Progress
from flows.retries import proposing
from flows.store import Store, opened
from memory_core import llm
from memory_core.errors import BadInput, WellkeptError
from memory_core.llm import Complete
from memory_core.proposals import opening, queue
from memory_core.proposals.proposal import APPLIED, DRAFTING, FAILED, Proposal
from memory_core.routines import optimizing
from memory_core.routines.optimize import page

LOST = "its run ended before it offered anything; a newer one looks at the vault anew"


@flow(name="optimize", retries=0, timeout_seconds=6 * 3600)  # a retry would ask the person again
def optimize(proposal: NonNegativeInt = 0) -> State[Any]:
    """Score memory, offer what would make it better, apply what was chosen, score it again.

    It audits the always-loaded file, the notes and the test itself, and measures every
    change alone before it offers it. It never changes what a note says.

    Args:
        proposal: Take up this proposal, whose own run is gone; 0 begins a new one.
    """
    with opened() as store:
        if store.settings.vault is None:
            return Completed(message="no vault is named: there is nothing to score")
        held = opening.held_by(store.database, runs.own())
        number, holder = (held.id, runs.own()) if held else _claim(store, proposal)
    if holder != runs.own():
        return Completed(message=f"run {holder} is at it already, as proposal {number}")
    try:
        score(number)
        propose(number)
    except Exception as error:
        _give_up(number, error)
        raise
    state = settle(number)
    told = score_again(number)
    return Completed(message=told) if told else state


@task(name="score", timeout_seconds=3 * 3600, cache_policy=NO_CACHE)
def score(number: int) -> None:
    """Score both sets and keep the runs; nothing the second time.

    What was read for it is remembered, so a run that begins anew reads only the rest.
    """
    with opened() as store:
        proposal = queue.get(store.database, number)
        if proposal.state == DRAFTING and "scores" not in proposal.window:
            optimizing.scored(
                store.settings, store.database, store.root, proposal, ask_model_server,
                Progress("optimize"),
            )  # fmt: skip


@proposing
def propose(number: int) -> int:
    """Audit, measure each change, store the proposal and publish it; returns its number."""
    with opened() as store:
        proposal = queue.get(store.database, number)
        if proposal.state == DRAFTING:
            optimizing.offer(
                store.settings, store.database, store.root, proposal, _drafted(store, proposal)
            )
        proposal = optimizing.numbered(store.database, number)
        publish(proposal)
        report(proposal)
        get_run_logger().info("proposal %d is %s: %s", number, proposal.state, proposal.summary)
        return number


@task(name="score-again", timeout_seconds=3 * 3600, cache_policy=NO_CACHE)
def score_again(number: int) -> str:
    """Score what was applied and say whether the expected effect came; "" where nothing was."""
    with opened() as store:
        proposal = queue.get(store.database, number)
        if proposal.state != APPLIED:
            return ""
        proposal = optimizing.measured_again(
            store.settings, store.database, store.root, proposal, ask_model_server,
            Progress("optimize"),
        )  # fmt: skip
    report(proposal)
    return "; ".join(proposal.window["after"]["said"])


def report(proposal: Proposal) -> None:
    """Show the whole report as an artifact; again after applying, as its next version."""
    create_markdown_artifact(
        key=f"optimize-{proposal.id}",
        markdown=page.markdown(proposal),
        description=proposal.summary or f"optimize, proposal {proposal.id}",
    )


def _claim(store: Store, proposal: int) -> tuple[int, str]:
    """The proposal of this run, and the run that has it: this one, or another that lives."""
    database, user = store.database, store.settings.user
    if proposal:
        wanted = queue.get(database, proposal)
        if wanted.routine != optimizing.ROUTINE:
            raise BadInput(f"proposal {proposal} is of {wanted.routine}, not of optimize")
    else:
        subject = optimizing.subject(store.root, user)
        for draft in opening.drafts(database, optimizing.ROUTINE, subject):
            if draft.flow_run and not runs.lives(draft.flow_run):
                queue.fail(database, draft.id, LOST)
        wanted = opening.open_anew(
            database, routine=optimizing.ROUTINE, subject=subject, user=user,
            window={"vault": str(store.root)},
        )  # fmt: skip
    return wanted.id, opening.take(database, wanted.id, runs.own(), runs.lives)


def _drafted(store: Store, proposal: Proposal) -> optimizing.Drafted:
    complete: Complete | None = None
    if llm.ready(store.settings):
        plain = partial(
            llm.complete, store.settings, store.database, routine=optimizing.ROUTINE,
            run=proposal.run,
        )  # fmt: skip
        complete = asked(plain, " ".join(store.settings.llm_model.split()[:1]))
    return optimizing.draft(
        store.settings, store.database, store.root, proposal, ask_model_server, complete,
        Progress("optimize"),
    )  # fmt: skip


def _give_up(number: int, error: Exception) -> None:
    """Mark a run that failed; the next one begins anew, with what was read for this one.

    One that has offered already keeps its run, for which the sweep starts another.
    """
    reason = error.message if isinstance(error, WellkeptError) else type(error).__name__
    with opened() as store:
        if queue.fail(store.database, number, reason).state == FAILED:
            queue.wait_at(store.database, number, "")
