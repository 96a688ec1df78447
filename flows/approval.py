"""A proposal waits for a person, and what was decided is applied once.

Truth is our own database: the suspended run is the doorbell and the form. Whatever line a
run dies at, it can be started anew, and a decision taken at the terminal ends the wait.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, TypeVar

from prefect import get_run_logger, runtime
from prefect.artifacts import Artifact, create_markdown_artifact
from prefect.client.schemas.objects import State
from prefect.flow_runs import suspend_flow_run
from prefect.input import RunInput
from prefect.states import Completed
from pydantic import Field, create_model

from flows.store import Store, opened
from memory_core.errors import BadInput, Conflict, Transient
from memory_core.proposals import queue, render
from memory_core.proposals.apply import Outcome, apply
from memory_core.proposals.decision import CHOICES, Decision, decide
from memory_core.proposals.proposal import Proposal
from memory_core.vault.note import shortened

T = TypeVar("T")
_WAITS = (2.0, 10.0, 30.0)  # seconds; the database itself waits ten before it gives up
_OBJECTION = 240  # characters of an objection above the form


def settle(number: int) -> State[Any]:
    """Wait until the proposal is decided, apply it, and say what became of it."""
    with opened() as store:
        proposal = queue.get(store.database, number)
        if proposal.state == "open":
            _await_decision(store, number)
        if queue.get(store.database, number).state in ("empty", "superseded"):
            return Completed(message=queue.get(store.database, number).state)
        outcome = apply(store.database, store.root, store.settings, number)
        publish(queue.get(store.database, number))
        queue.wait_at(store.database, number, "")
        return Completed(message=_said(outcome))


def publish(proposal: Proposal) -> None:
    """Show the proposal as an artifact; again after a change, as its next version."""
    create_markdown_artifact(
        key=f"proposal-{proposal.id}",
        markdown=render.markdown(proposal),
        description=proposal.summary or f"{proposal.routine}, proposal {proposal.id}",
    )


def form(proposal: Proposal) -> type[RunInput]:
    """The form of a proposal: one required decision, no default that an empty answer could take.

    It offers every number, also of items that went stale, since the answer is read against
    the form made anew.
    """
    numbers: Any = Literal[tuple(item.number for item in proposal.numbered)]
    choices: Any = Literal[CHOICES]
    return create_model(
        "Decision",
        __base__=RunInput,
        decision=(choices, Field(title="Decision")),
        chosen=(
            list[numbers],
            Field(default_factory=list, title='Chosen items (with "apply chosen")'),
        ),
        never=(list[numbers], Field(default_factory=list, title="Never offer again")),
        comment=(str, Field("", title="Comment", json_schema_extra={"format": "textarea"})),
    )


def _await_decision(store: Store, number: int) -> None:
    """Suspend until a decision is stored; a resumed run passes here again from the top."""
    problem = ""
    for attempt in itertools.count(1):
        proposal = _patiently(partial(_offered, store, number))
        if proposal.state != "open":
            return
        answer: Any = suspend_flow_run(
            wait_for_input=form(proposal).with_initial_data(
                description=_description(proposal, problem)
            ),
            key=f"proposal-{number}-{attempt}",
            timeout=None,
        )
        try:
            settings, decision = store.settings, _decision(answer)
            _patiently(partial(decide, store.database, number, decision, settings=settings))
            return
        except BadInput as error:
            problem = str(error)
        except Conflict as error:
            get_run_logger().info("the decision taken first stands: %s", error.message)
            return


def _offered(store: Store, number: int) -> Proposal:
    """The proposal as it is now; while it is open this run waits for it."""
    queue.refresh(store.database, store.root, store.settings)
    proposal = queue.get(store.database, number)
    if proposal.state == "open":
        queue.wait_at(store.database, number, str(runtime.flow_run.id))
    return proposal


def _patiently(step: Callable[[], T]) -> T:
    """Do what may meet a locked database again: a person answers once."""
    for wait in _WAITS:
        try:
            return step()
        except Transient as error:
            get_run_logger().warning("%s", error)
            time.sleep(wait)
    return step()


def _decision(answer: Any) -> Decision:
    return Decision(
        answer.decision,
        chosen=tuple(answer.chosen),
        never=tuple(answer.never),
        comment=answer.comment,
        surface="UI",
    )


def _description(proposal: Proposal, problem: str) -> str:
    """A few lines above the form, which is small; the artifact holds the whole."""
    lines = [f"**Not taken: {render.inline(problem)}**", ""] if problem else []
    lines.append(render.inline(proposal.summary))
    lines.append("")
    for item in proposal.numbered:
        number, _, told = render.one_line(item).partition(" ")
        lines.append(f"{number} {render.inline(told)}")
        lines += [f"    - objection of {_brief(*one)}" for one in render.objections(item)]
    lines.append("")
    lines.append(f"[The whole proposal]({_address(proposal)}), or `wellkept review` in a terminal.")
    return "\n".join(lines)


def _brief(model: str, says: str) -> str:
    return render.inline(shortened(f"{model}: {says}", _OBJECTION))


def _address(proposal: Proposal) -> str:
    """Where the UI shows the proposal's artifact."""
    found: Any = Artifact.get(f"proposal-{proposal.id}")
    return f"/artifacts/artifact/{found.id}" if found else f"/artifacts/key/proposal-{proposal.id}"


def _said(outcome: Outcome) -> str:
    counts = {
        "applied": outcome.applied,
        "conflicted": outcome.conflicted,
        "skipped": outcome.skipped,
        "never again": outcome.rejected,
    }
    told = ", ".join(f"{name} {_numbers(those)}" for name, those in counts.items() if those)
    return told or "nothing to apply"


def _numbers(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers))
