"""Runs of the orchestrator: this one, and whether another one still lives."""

from __future__ import annotations

from uuid import UUID

from prefect import runtime
from prefect.client.orchestration import get_client
from prefect.exceptions import ObjectNotFound


def own() -> str:
    """The id of the run that this is."""
    return str(runtime.flow_run.id)


def lives(run: str) -> bool:
    """Whether a run is running, waits for a person, or will be run."""
    with get_client(sync_client=True) as client:
        try:
            state = client.read_flow_run(UUID(run)).state
        except ObjectNotFound:
            return False
    return state is not None and not state.is_final()
