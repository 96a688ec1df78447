"""At a start: repair what the last stop left half done.

Files and commits first; then runs that nobody executes any more are marked crashed; then
every proposal that waits for nobody gets a run, under a key made from the run it lost.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlmodel import and_, col, func, or_, select

from deployments.routines import ROUTINES
from memory_core.proposals import apply
from memory_core.store.tables import ProposalRow

if TYPE_CHECKING:
    from prefect.client.orchestration import SyncPrefectClient
    from prefect.client.schemas.objects import FlowRun, State

    from deployments.dispatch import Dispatcher
    from memory_core.settings import Settings
    from memory_core.store.database import Database

log = logging.getLogger("wellkept.sweep")
_PAGE = 200
_NEWEST = select(
    ProposalRow.routine, ProposalRow.subject, func.max(ProposalRow.id)
).group_by(col(ProposalRow.routine), col(ProposalRow.subject))  # fmt: skip


def drain(database: Database, settings: Settings) -> None:
    """Finish what was decided and not wholly applied."""
    if settings.vault is not None:
        for outcome in apply.drain(database, settings.vault, settings):
            log.info("applied what was left: %s", outcome)


def mark_crashed(client: SyncPrefectClient, deployments: list[UUID]) -> int:
    """Runs that were running when everything stopped; nothing else repairs their state."""
    from prefect.states import Crashed

    left = _runs(client, deployments)
    for run in left:
        told: State[Any] = Crashed(message="left by the last stop")
        client.set_flow_run_state(run.id, told, force=True)
        log.info("%s marked as crashed", run.name)
    return len(left)


def restart(client: SyncPrefectClient, database: Database, dispatcher: Dispatcher) -> int:
    """Give a run to every open proposal whose own is gone, and to rejected wraps; how many.

    A rejected wrap is offered again, once a start; a dream is by its schedule, and a bank
    owes a new consolidation (`consolidation_window.owe_again`). An import is no run. An
    optimize that was applied owes the score of what it did.
    """
    with database.read() as session:
        ours = col(ProposalRow.routine).in_([routine.name for routine in ROUTINES])
        waits = col(ProposalRow.state).in_(("drafting", "open", "decided"))
        again = and_(ProposalRow.state == "rejected", ProposalRow.routine == "wrap")
        done = and_(ProposalRow.state == "applied", ProposalRow.routine == "optimize")
        rows = session.exec(select(ProposalRow).where(ours, or_(waits, again, done))).all()
        found = session.execute(_NEWEST).all()
    newest = {(routine, subject): last for routine, subject, last in found}
    lost = [
        row for row in rows
        if newest[row.routine, row.subject] == row.id and not _is_over(row)
        and not _lives(_state(client, row.flow_run))
    ]  # fmt: skip
    for row in lost:
        key = f"{row.run}:after:{row.flow_run or row.id}"
        dispatcher.start_anew(row.routine, parameters(row), key)
    return len(lost)


def reopen(client: SyncPrefectClient, database: Database, dispatcher: Dispatcher) -> int:
    """Give a run to every open proposal whose own failed, crashed or is gone; how many.

    One that a person cancelled stays so until the next start.
    """
    waits = select(ProposalRow).where(ProposalRow.state == "open", ProposalRow.flow_run != "")
    with database.read() as session:
        rows = session.exec(waits).all()
    lost = [row for row in rows if _failed(_state(client, row.flow_run))]
    for row in lost:
        dispatcher.start_anew(row.routine, parameters(row), f"{row.run}:after:{row.flow_run}")
    return len(lost)


def parameters(row: ProposalRow) -> dict[str, Any]:
    """What a run of the same routine needs to find the proposal again."""
    if row.routine == "wrap":
        return {"session": row.window["session"], "until": row.window["until"]}
    if row.routine == "consolidation":
        return {"bank": row.subject, "generation": row.window["generation"]}
    if row.routine in ("dream", "optimize"):
        return {"proposal": row.id}
    return {"run": row.run}


def _runs(client: SyncPrefectClient, deployments: list[UUID]) -> list[FlowRun]:
    from prefect.client.schemas.filters import FlowRunFilter

    wanted = FlowRunFilter.model_validate({
        "deployment_id": {"any_": deployments},
        "state": {"type": {"any_": ["RUNNING", "PENDING", "CANCELLING"]}},
    })  # fmt: skip
    return client.read_flow_runs(flow_run_filter=wanted, limit=_PAGE)


def _state(client: SyncPrefectClient, name: str) -> State[Any] | None:
    from prefect.exceptions import ObjectNotFound

    try:
        return client.read_flow_run(UUID(name)).state if name else None
    except ObjectNotFound:
        return None


def _is_over(row: ProposalRow) -> bool:
    """Whether an applied proposal owes nothing more."""
    return row.state == "applied" and "after" in row.window


def _failed(state: State[Any] | None) -> bool:
    return state is None or state.is_failed() or state.is_crashed()


def _lives(state: State[Any] | None) -> bool:
    """Whether somebody will still run it."""
    return state is not None and not state.is_final()
